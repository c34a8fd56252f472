"""Publication of a live table: the view, the open questions, and the events of each change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar, cast

from engine.game import Event
from engine.message import Message
from tilesight.inference.protocols import ReadTurn
from web.table.camera_status import Seeing
from web.table.feed import EventType, Feed
from web.table.question import ClosedQuestion, Question
from web.table.seats import Seat
from web.table.squares import SquareView
from web.table.view import TableView

EventSink = Callable[[str, Mapping[str, Any]], None]
"""Function called with an event's type and data, in the thread that sends it."""


ViewT = TypeVar("ViewT", bound=TableView | SquareView)


def camera_event(seeing: Seeing, message: Message) -> dict[str, Any]:
    """Return the data of an event ``camera``: the camera's state, and the message in English and as data."""
    return {"seeing": seeing, "message": message, "said": message.to_json()}


class Publication(Generic[ViewT]):
    """The view and the feed of one table.

    The view is an immutable value that is replaced at each change, so that readers never wait. An event is
    only sent after the view includes its change. ``sink`` is also called with every event.
    """

    def __init__(self, view: ViewT, sink: EventSink | None) -> None:
        self.view: ViewT = view
        self.feed = Feed()
        self.asked: tuple[Question, ...] = ()
        self._sink = sink
        self._turns: tuple[ReadTurn, ...] = ()
        self._by_hand: tuple[Event, ...] = ()
        self._doubtful: tuple[int, ...] = ()
        self._faults: tuple[Mapping[str, Any], ...] = ()

    def put(self, **changes: Any) -> None:
        """Replace ``self.view`` by a copy with the fields ``changes``, without an event."""
        self.view = replace(cast(Any, self.view), **changes)

    def tell(
        self,
        kind: EventType,
        data: Mapping[str, Any],
        frame: int | None = None,
        arrived_s: float | None = None,
    ) -> None:
        """Send one event to the feed and the sink.

        ``frame`` is the index of the picture that caused it, ``arrived_s`` that picture's arrival in seconds
        since 1970.
        """
        self.feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._sink is not None:
            self._sink(kind, {**data, "frame": frame})

    def tell_turns(self, turns: Sequence[ReadTurn], frame: int | None, arrived_s: float) -> None:
        """Send the turns that are new, changed or scored differently, and the number of undone turns.

        ``frame`` is the index of the picture that caused this, ``arrived_s`` its arrival (seconds since
        1970). The confidence of each turn is taken from ``self.view``.
        """
        before, self._turns = self._turns, tuple(turns)
        for number, turn in enumerate(self._turns, 1):
            was = before[number - 1] if number <= len(before) else None
            if was is not None and (was.turn, was.step.events) == (turn.turn, turn.step.events):
                continue
            line = turn.turn.to_json()
            sure = self.view.played[number - 1].confidence
            data = {"turn": number, "player": line["player"], "line": line, "confidence": sure}
            corrects = {} if was is None else {"corrects": True}
            self.tell("turn", {**data, **corrects}, frame, arrived_s)
            for event in turn.step.events:
                self.tell("score", {**event.to_json(), "turn": number}, frame, arrived_s)
        if len(turns) < len(before):
            data = {"turn": len(turns), "taken_back": len(before) - len(turns)}
            self.tell("turn", data, frame, arrived_s)

    def tell_adjustments(self, events: Sequence[Event]) -> None:
        """Send the new events among ``events``, which are all points added or removed by hand so far."""
        new, self._by_hand = events[len(self._by_hand) :], tuple(events)
        for event in new:
            self.tell("score", event.to_json(), self.view.camera.frame)

    def tell_faults(self, faults: tuple[Mapping[str, Any], ...], frame: int | None, arrived_s: float) -> None:
        """Send the present faults of the table, if they changed.

        The other arguments are as in `tell_turns`.
        """
        if faults != self._faults:
            self._faults = faults
            self.tell("fault", {"faults": list(faults)}, frame, arrived_s)

    def tell_lost(self, message: Message) -> None:
        """Show in the view, and send, why no picture is available.

        Do nothing if the view shows that already.
        """
        was = self.view.camera
        if (was.seeing, was.message) != ("lost", message):
            self.put(camera=replace(was, seeing="lost", message=message, framing=None))
            self.tell("camera", camera_event("lost", message), was.frame)

    def ask(
        self,
        questions: tuple[Question, ...],
        closed: Sequence[ClosedQuestion] = (),
        doubtful: Sequence[int] = (),
    ) -> None:
        """Store and send the open questions, the just ``closed`` ones, and the numbers of ``doubtful`` turns.

        Nothing is sent if none of these changed.
        """
        if (questions, tuple(doubtful)) == (self.asked, self._doubtful) and not closed:
            return
        self.asked, self._doubtful = questions, tuple(doubtful)
        data = {
            "questions": [
                {"id": question.id, "text": question.text, "said": question.text.to_json()}
                for question in questions
            ],
            "closed": [one.to_json() for one in closed],
            "doubtful": list(doubtful),
        }
        self.tell("question", data, self.view.camera.frame)

    def rename(self, color: str, name: str, entry: int) -> None:
        """Show and send a player's new name; ``entry`` is the number of the log entry with it."""
        seats = tuple(Seat(s.color, name) if s.color == color else s for s in self.view.seats)
        self.put(entry=entry, seats=seats, title=", ".join(seat.name for seat in seats))
        self.tell("seat", {"color": color, "name": name})
