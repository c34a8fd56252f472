"""Publication of a live table: the view, the open questions, and the events of each change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, cast

from engine.game import Event, Position
from tilesight.inference.protocols import ReadTurn
from web.views.doubts import closed_json
from web.views.feed import EventType, Feed
from web.views.table import CameraStatus, Closed, Question, Seat

EventSink = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's type and data, in the thread that tells it."""


class Told(Protocol):
    """A turn as a view of any kind of board has it."""

    @property
    def confidence(self) -> float | None:
        """Probability of the turn, 0 to 1, as people and pictures have it by now."""


class BoardView(Protocol):
    """Fields that the views of all kinds of board have; each is a frozen dataclass."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The players, in turn order."""

    @property
    def state(self) -> Position | None:
        """The position now; None while the opening position is still being read."""

    @property
    def played(self) -> Sequence[Told]:
        """Every turn so far."""

    @property
    def camera(self) -> CameraStatus:
        """The camera's status now."""


ViewT = TypeVar("ViewT", bound=BoardView)


class Publication(Generic[ViewT]):
    """The view and the feed of one table.

    The view is a value behind one attribute, replaced at each change, so that readers never wait. An event
    is told after the view holds what it tells.
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
        """Replace the view by one with these fields changed; nothing is told."""
        self.view = replace(cast(Any, self.view), **changes)

    def tell(
        self,
        kind: EventType,
        data: Mapping[str, Any],
        frame: int | None = None,
        arrived_s: float | None = None,
    ) -> None:
        """Tell one event; ``frame`` and ``arrived_s`` are of the picture that it follows from."""
        self.feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._sink is not None:
            self._sink(kind, {**data, "frame": frame})

    def tell_turns(self, turns: Sequence[ReadTurn], frame: int | None, arrived_s: float) -> None:
        """Tell the turns that are new, that changed or score otherwise, and how many were taken back. The
        confidence in each is the view's."""
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

    def tell_by_hand(self, events: Sequence[Event]) -> None:
        """Tell the points that people gave or took beside the rules since the last call."""
        new, self._by_hand = events[len(self._by_hand) :], tuple(events)
        for event in new:
            self.tell("score", event.to_json(), self.view.camera.frame)

    def tell_faults(self, faults: tuple[Mapping[str, Any], ...], frame: int | None, arrived_s: float) -> None:
        """Tell what the rules have against the table as it stands, if that changed."""
        if faults != self._faults:
            self._faults = faults
            self.tell("fault", {"faults": list(faults)}, frame, arrived_s)

    def tell_lost(self, message: str) -> None:
        """Show and tell that no picture comes for now, and why."""
        was = self.view.camera
        if (was.seeing, was.message) != ("lost", message):
            self.put(camera=replace(was, seeing="lost", message=message, framing=None))
            self.tell("camera", {"seeing": "lost", "message": message}, was.frame)

    def ask(
        self, questions: tuple[Question, ...], closed: Sequence[Closed] = (), doubtful: Sequence[int] = ()
    ) -> None:
        """Show and tell the open questions and the numbers of the turns that are ``doubtful``, if they
        changed, with the questions that were ``closed``."""
        if (questions, tuple(doubtful)) == (self.asked, self._doubtful) and not closed:
            return
        self.asked, self._doubtful = questions, tuple(doubtful)
        data = {
            "questions": [{"id": question.id, "text": question.text} for question in questions],
            "closed": [closed_json(one) for one in closed],
            "doubtful": list(doubtful),
        }
        self.tell("question", data, self.view.camera.frame)

    def rename(self, color: str, name: str) -> None:
        """Show and tell a player's new name."""
        seats = tuple(Seat(s.color, name) if s.color == color else s for s in self.view.seats)
        self.put(seats=seats, title=", ".join(seat.name for seat in seats))
        self.tell("seat", {"color": color, "name": name})
