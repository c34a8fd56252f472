"""Table of a game on squares as phones see it: understanding becomes a view and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.grid_game import SquareGame, SquarePosition
from engine.pack import Pack
from tilesight.inference.grid.understanding import SquaresUnderstood
from tilesight.table_log.event_fold import GameLedger, common_length
from web.tables.feed import EventType, Feed
from web.tables.grid_table import SquareTurnPlayed, SquareView
from web.tables.table import CameraStatus, Option, Question, Seat, Seeing

Listener = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's type and data, in the thread that tells it."""
SET_UP_QUESTION, YES, AGAIN = "set-up", "yes", "again"
ASK_SET_UP = "Is the table set up as it is drawn here?"


class SquareShown:
    """The view and the feed. ``live``: people may change what is shown; a recording is as it is.

    The view is a value behind one attribute, made anew at each change, so that readers never wait.
    """

    def __init__(
        self,
        game: SquareGame,
        pack: Pack,
        seats: tuple[Seat, ...],
        *,
        title: str,
        frames: int | None,
        rendered: bool,
        live: bool,
        listener: Listener | None,
    ) -> None:
        self.feed = Feed()
        self.asked: tuple[Question, ...] = ()
        self.view = SquareView(
            title, game.name, pack, seats, camera=CameraStatus(frames=frames), rendered=rendered
        )
        self._game = game
        self._live = live
        self._listener = listener
        self._messages: tuple[str, ...] = ()

    def take(
        self,
        understood: SquaresUnderstood,
        ledger: GameLedger[Any],
        start: SquarePosition | None,
        frame: int | None,
        arrived_s: float,
    ) -> None:
        """Show how the game stands by the ledger, and what was understood of the latest picture. ``start`` is
        the position before turn 1, ``arrived_s`` when the picture came in, in seconds since 1970."""
        was, state = self.view, understood.state
        played = tuple(
            SquareTurnPlayed(one.turn.to_json(), one.step, frame_index, round(one.confidence, 4))
            for one, frame_index in zip(understood.turns, ledger.frames, strict=True)
        )
        playing = self._live and state is not None and not ledger.ended
        self.view = replace(
            was,
            start=start,
            state=state,
            phase="waiting" if state is None else "over" if ledger.ended else "playing",
            played=played,
            guide=tuple(step.to_json() for step in understood.guide),
            misplaced=tuple(one.to_json() for one in understood.misplaced),
            faults=understood.faults,
            missing=understood.missing,
            outcome="" if state is None else self._game.records.outcome(state).text,
            winners=(),
            camera=self._camera(understood, frame, arrived_s),
            confirmed=ledger.confirmed,
            can_undo=self._live and ledger.can_undo,
            can_redo=self._live and bool(ledger.undone),
            can_end=playing,
            can_correct=playing,
        )
        self._tell_changes(was, understood, frame, arrived_s)
        self._ask()

    def lost(self, message: str) -> None:
        """No picture comes for the time being, and why."""
        was = self.view.camera
        if (was.seeing, was.message) != ("lost", message):
            self.view = replace(self.view, camera=replace(was, seeing="lost", message=message))
            self._tell("camera", {"seeing": "lost", "message": message}, was.frame, None)

    def finish(self, ledger: GameLedger[Any]) -> None:
        """The game is over: by its rules, by people, or because no more pictures come."""
        state = self.view.state
        value: Mapping[str, Any] = {} if state is None else self._game.records.outcome(state).value
        winner = value.get("winner")
        camera = replace(self.view.camera, seeing="ended", message="")
        self.view = replace(
            self.view,
            phase="over",
            guide=(),
            misplaced=(),
            faults=(),
            winners=() if winner is None else (winner,),
            camera=camera,
            can_undo=self._live and ledger.can_undo,
            can_redo=self._live and bool(ledger.undone),
            can_end=False,
            can_correct=False,
        )
        self._ask()
        self._tell("end", {**value, "outcome": self.view.outcome}, camera.frame, None)

    def rename(self, color: str, name: str) -> None:
        """A player is called otherwise from now on."""
        seats = tuple(Seat(s.color, name) if s.color == color else s for s in self.view.seats)
        self.view = replace(self.view, seats=seats, title=", ".join(seat.name for seat in seats))
        self._tell("seat", {"color": color, "name": name}, None, None)

    def _camera(self, understood: SquaresUnderstood, frame: int | None, arrived_s: float) -> CameraStatus:
        seeing: Seeing = "watching"
        message = ""
        if frame is None:
            seeing = "starting"
        elif not understood.board_seen:
            seeing, message = "lost", "the board is not in view"
        elif understood.busy:
            seeing = "moving"
        elif understood.messages:
            seeing, message = "unclear", understood.messages[0]
        return CameraStatus(seeing, message, frame, self.view.camera.frames, arrived_s)

    def _tell_changes(
        self, was: SquareView, understood: SquaresUnderstood, frame: int | None, arrived_s: float
    ) -> None:
        now = self.view
        before = [turn.line for turn in was.played]
        keep = common_length(before, [turn.line for turn in now.played])
        for number, turn in enumerate(now.played[keep:], keep + 1):
            data = {"turn": number, "player": turn.line["player"], "line": turn.line}
            corrects = {"corrects": True} if number <= len(before) else {}
            self._tell("turn", {**data, "confidence": turn.confidence, **corrects}, frame, arrived_s)
            for event in turn.step.events:
                self._tell("score", event.to_json(), frame, arrived_s)
        if len(now.played) == keep < len(before):
            self._tell("turn", {"turn": keep, "taken_back": len(before) - keep}, frame, arrived_s)
        if understood.messages != self._messages:
            self._messages = understood.messages
            self._tell("fault", {"faults": [{"message": text} for text in self._messages]}, frame, arrived_s)
        if _look(was) != _look(now):
            message = now.camera.message or now.missing
            self._tell("camera", {"seeing": now.camera.seeing, "message": message}, frame, arrived_s)

    def _ask(self) -> None:
        """The set-up is confirmed on a phone, or by the first turn."""
        view = self.view
        asked: tuple[Question, ...] = ()
        if self._live and view.phase == "playing" and not view.confirmed and not view.played:
            options = (Option(YES, "Yes, begin"), Option(AGAIN, "No, read it again"))
            asked = (Question(SET_UP_QUESTION, ASK_SET_UP, options),)
        if asked != self.asked:
            self.asked = asked
            told = [{"id": q.id, "text": q.text} for q in asked]
            self._tell("question", {"questions": told}, view.camera.frame, None)

    def _tell(
        self, kind: EventType, data: Mapping[str, Any], frame: int | None, arrived_s: float | None
    ) -> None:
        self.feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._listener is not None:
            self._listener(kind, {**data, "frame": frame})


def _look(view: SquareView) -> tuple[object, ...]:
    """What phones draw and no other event tells."""
    return (view.camera.seeing, view.missing, view.guide, view.phase, view.start, view.confirmed)
