"""Table of a tile game as phones see it: understanding becomes a view and events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from engine.geometry import Cell
from engine.tiles.game import Final, GameState, ScoreEvent
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.album import Album, cells_of, crop_jpeg
from web.tables.feed import EventType, Feed
from web.tables.table import (
    CameraStatus,
    Choices,
    Correction,
    Export,
    Picture,
    Played,
    Question,
    Refusal,
    Seat,
    Seeing,
    TableView,
)

Listener = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's type and data, in the watching thread."""


class Commands(Protocol):
    """What players may ask of a live table; each raises Refusal where it cannot be done."""

    def answer(self, question_id: str, option_id: str) -> None: ...
    def choices(self, turn_no: int, tile: str | None, cell: Cell | None, rot: int | None) -> Choices: ...
    def correct(self, correction: Correction) -> None: ...
    def seat(self, color: str, name: str) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def end(self) -> None: ...


class LiveTable:
    """A watched table. One thread hands it what was understood; the dashboard's threads read the view.

    The view is a value behind one attribute, made anew at each change, so that readers never wait.
    """

    def __init__(
        self,
        start: GameState,
        names: Mapping[str, str],
        *,
        title: str,
        game: str,
        frames: int | None = None,
        rendered: bool = False,
        header_line: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._feed = Feed()
        self._listener = listener
        self._header_line = dict(header_line or {})
        self._told: tuple[UnderstoodTurn, ...] = ()
        self._frames = frames
        self._asked: tuple[Question, ...] = ()
        self._by_hand: tuple[ScoreEvent, ...] = ()
        self.steward: Commands | None = None
        """Who carries out what players ask for; None where a recording is shown."""
        self.album: Album | None = None
        """Where the pictures are; None where there are none to show."""
        self._view = TableView(
            title=title,
            game=game,
            pack=start.pack,
            seats=tuple(Seat(color, names.get(color, color)) for color in start.players),
            start=start,
            state=start,
            phase="waiting",
            camera=CameraStatus(frames=frames),
            rendered=rendered,
        )

    # -- what the watching thread tells ---------------------------------------------------------

    def take(self, understanding: Understanding, frame_index: int, arrived_s: float) -> int:
        """Show what one picture made clear; returns how many turns are new or changed.

        ``arrived_s`` is when the picture came in, in seconds since 1970.
        """
        before, after = self._told, understanding.turns
        told = [number for number, turn in enumerate(after) if _is_news(turn, before[number : number + 1])]
        camera = self._camera(understanding, frame_index, arrived_s)
        was = self._view.camera
        faults = understanding.unclear.faults if understanding.unclear is not None else ()
        faults_changed = faults != self._view.faults
        self._put(
            phase="playing",
            final=None,
            state=understanding.state,
            played=tuple(_played(turn) for turn in after),
            events=(*events_of(after), *self._by_hand),
            faults=faults,
            camera=camera,
        )
        self._told = after
        for number in told:
            corrects = number < len(before)
            self._tell_turn(number + 1, after[number], frame_index, arrived_s, corrects=corrects)
        if len(after) < len(before):
            data: dict[str, Any] = {"turn": len(after), "taken_back": len(before) - len(after)}
            self._publish("turn", data, frame_index, arrived_s)
        if faults_changed:
            data = {"faults": [fault.to_json() for fault in faults]}
            self._publish("fault", data, frame_index, arrived_s)
        if (camera.seeing, camera.message) != (was.seeing, was.message):
            data = {"seeing": camera.seeing, "message": camera.message}
            self._publish("camera", data, frame_index, arrived_s)
        return len(told)

    def lost(self, message: str) -> None:
        """No picture comes for the time being, and why."""
        was = self._view.camera
        if (was.seeing, was.message) != ("lost", message):
            self._put(camera=replace(was, seeing="lost", message=message))
            self._publish("camera", {"seeing": "lost", "message": message}, was.frame, None)

    def ask(self, questions: tuple[Question, ...]) -> None:
        """Show the open questions."""
        if questions != self._asked:
            self._asked = questions
            told = [{"id": q.id, "text": q.text} for q in questions]
            self._publish("question", {"questions": told}, self._view.camera.frame, None)

    def show_commands(self, *, can_undo: bool, can_redo: bool, can_end: bool) -> None:
        """What players may ask for now; while the game is on they may correct it."""
        view = self._view
        if (view.can_undo, view.can_redo, view.can_end) != (can_undo, can_redo, can_end):
            self._put(can_undo=can_undo, can_redo=can_redo, can_end=can_end, can_correct=can_end)

    def rename(self, color: str, name: str) -> None:
        """A player is called otherwise from now on."""
        seats = tuple(Seat(s.color, name) if s.color == color else s for s in self._view.seats)
        self._put(seats=seats, title=", ".join(seat.name for seat in seats))
        self._publish("seat", {"color": color, "name": name}, None, None)

    def give_by_hand(self, events: tuple[ScoreEvent, ...]) -> None:
        """Points that people gave or took beside the rules; shown with the next ``take``."""
        new = events[len(self._by_hand) :]
        self._by_hand = events
        points: Counter[str] = Counter()
        for event in events:
            points[event.player] += event.points
        self._put(by_hand=dict(points), events=(*events_of(self._told), *events))
        for event in new:
            self._publish("score", event.to_json(), self._view.camera.frame, None)

    def scores(self) -> dict[str, int]:
        """The scores now, with what people gave or took."""
        view = self._view
        return {color: points + view.by_hand.get(color, 0) for color, points in view.state.scores.items()}

    def finish(self, final: Final) -> None:
        """No more pictures come: the final scores stand, with what people gave or took."""
        by_hand = self._view.by_hand
        if by_hand:
            final = replace(final, scores={c: n + by_hand.get(c, 0) for c, n in final.scores.items()})
        camera = CameraStatus("ended", "", self._view.camera.frame, self._frames)
        self._put(phase="over", final=final, camera=camera)
        data = {
            "final": dict(final.scores),
            "winners": list(final.winners),
            "events": [event.to_json() for event in final.events],
        }
        self._publish("end", data, camera.frame, None)

    def _camera(self, understanding: Understanding, frame_index: int, arrived_s: float) -> CameraStatus:
        seeing: Seeing = "watching"
        message = ""
        cells: tuple[Cell, ...] = ()
        if not understanding.board_seen:
            seeing, message = "lost", "the board is not in view"
        elif understanding.busy:
            seeing = "moving"
        elif understanding.unclear is not None:
            seeing, message, cells = "unclear", understanding.unclear.message, understanding.unclear.cells
        return CameraStatus(seeing, message, frame_index, self._frames, arrived_s, cells)

    def _tell_turn(
        self, number: int, turn: UnderstoodTurn, frame_index: int, arrived_s: float, *, corrects: bool
    ) -> None:
        data: dict[str, Any] = {
            "turn": number,
            "player": turn.turn.player,
            "line": turn.turn.to_json(),
            "confidence": round(turn.confidence, 4),
        }
        if corrects:
            data["corrects"] = True
        self._publish("turn", data, frame_index, arrived_s)
        for event in turn.step.events:
            self._publish("score", event.to_json(), frame_index, arrived_s)

    def _publish(
        self, kind: EventType, data: Mapping[str, Any], frame: int | None, arrived_s: float | None
    ) -> None:
        self._feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._listener is not None:
            self._listener(kind, {**data, "frame": frame})

    def _put(self, **changes: Any) -> None:
        self._view = replace(self._view, **changes)

    # -- web.tables.table.Table ------------------------------------------------------------------------

    def watch(self) -> Feed:
        """The table's feed."""
        return self._feed

    def state(self) -> TableView:
        """The view now."""
        return self._view

    def questions(self) -> tuple[Question, ...]:
        """The open questions; a recording asks nobody."""
        return self._asked

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question."""
        if self.steward is None:
            raise Refusal("unknown_question", f"there is no question {question_id!r}")
        self.steward.answer(question_id, option_id)

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """What a turn may have been."""
        return self._commands().choices(turn_no, tile, cell, rot)

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""
        self._commands().seat(color, name)

    def picture(self) -> Picture | None:
        """The camera's latest picture."""
        return self.album.picture(self._view.state.board) if self.album is not None else None

    def crop(self, turn_no: int) -> bytes:
        """The part of the picture from which a turn was understood."""
        played = self._view.played
        if not 0 < turn_no <= len(played):
            raise Refusal("unknown_turn", f"there is no turn {turn_no}")
        shot = self.album.turn_shot(turn_no) if self.album is not None else None
        if shot is None:
            raise Refusal("unknown_picture", f"no picture is kept of turn {turn_no}")
        return crop_jpeg(shot, cells_of(played[turn_no - 1].turn))

    def question_crop(self, question_id: str) -> bytes:
        """The part of the picture that an open question is about."""
        question = next((q for q in self._asked if q.id == question_id), None)
        if question is None:
            raise Refusal("unknown_question", "this question is not open any more")
        shot = self.album.question_shot(question_id) if self.album is not None else None
        if shot is None:
            raise Refusal("unknown_picture", "no picture is kept of this question")
        return crop_jpeg(shot, question.cells)

    def correct(self, correction: Correction) -> None:
        """Correct what was recorded."""
        self._commands().correct(correction)

    def undo(self) -> None:
        """Take back the last turn or correction."""
        self._commands().undo()

    def redo(self) -> None:
        """Bring back what was undone last."""
        self._commands().redo()

    def end(self) -> None:
        """End the game now and score it."""
        self._commands().end()

    def _commands(self) -> Commands:
        """Who carries out commands; Refusal where a recording is shown as it was understood."""
        if self.steward is None:
            raise Refusal("recording", "this table replays a recording, which cannot be changed")
        return self.steward

    def export(self) -> Export:
        """The record so far."""
        lines = [self._header_line, *(turn.turn.to_json() for turn in self._told)]
        if self._view.phase == "over":
            lines.append({"end": True})
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return Export("table.game.jsonl", "application/jsonl", text.encode())


def events_of(turns: tuple[UnderstoodTurn, ...]) -> tuple[ScoreEvent, ...]:
    """All scoring events of some turns, in order."""
    return tuple(event for turn in turns for event in turn.step.events)


def _played(turn: UnderstoodTurn) -> Played:
    return Played(turn.turn, turn.step.state, turn.frame_index, None, round(turn.confidence, 4))


def _is_news(turn: UnderstoodTurn, before: Sequence[UnderstoodTurn]) -> bool:
    """Whether a turn is another than the one that was told in its place, if any, or scores otherwise."""
    return not before or turn.turn != before[0].turn or turn.step.events != before[0].step.events
