"""Who keeps a watched game on squares: `tilesight.steward` and `tilesight.live` for such games, in one.

The watching thread and the dashboard's threads come here; one lock makes them take turns. With a store
everything is in the log before it is told, and after a crash the log alone says how the game stands; without
one a recording is shown, which nobody can change.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.jsonvalue import FieldError
from engine.pack import Pack
from engine.record import header_from_json, header_to_json
from engine.room import GameError, IllegalTurn, Opening
from engine.squares import SquareGame, SquarePosition
from tilesight import ledger as book
from tilesight.ledger import GameLedger, common_length, folded
from tilesight.squarealbum import SquareAlbum
from tilesight.squaresunderstood import SquaresUnderstood
from tilesight.squaretracker import SquareTracker
from tilesight.store import TableStore
from vision.observation import Frame, Observation
from web.feed import EventType, Feed
from web.squaretable import Moves, SquareTurnPlayed, SquareView
from web.table import (
    CameraStatus,
    Correction,
    Export,
    Option,
    Picture,
    Question,
    Refusal,
    Seat,
    Seeing,
    SetUp,
)

Listener = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's type and data, in the thread that tells it."""
SET_UP_QUESTION, YES, AGAIN = "set-up", "yes", "again"
ASK_SET_UP = "Is the table set up as it is drawn here?"


class SquareSteward:
    """One watched game on squares (web.squaretable.SquareTable). ``opening`` may hold a set-up or leave it to
    be read; a log that holds turns already is taken up."""

    def __init__(
        self,
        game: SquareGame,
        pack: Pack,
        opening: Opening,
        names: Mapping[str, str],
        store: TableStore | None = None,
        *,
        title: str = "",
        frames: int | None = None,
        rendered: bool = False,
        listener: Listener | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._feed = Feed()
        self._listener = listener
        self._store = store
        self._game = game
        self._asked: tuple[Question, ...] = ()
        self._messages: tuple[str, ...] = ()
        self._understood: SquaresUnderstood | None = None
        self._album = SquareAlbum(store)
        self._ledger: GameLedger[Any] = GameLedger(read_turn=game.records.read_line)
        if store is not None:
            self._ledger = folded(self._ledger, store.entries())
        kept = self._ledger
        self._tracker = SquareTracker(game, pack, header_from_json(kept.set_up) if kept.set_up else opening)
        names = {**names, **kept.names}
        self._view = SquareView(
            title=title or ", ".join(names.values()),
            game=game.name,
            pack=pack,
            seats=tuple(Seat(color, names.get(color, color)) for color in opening.players),
            camera=CameraStatus(frames=frames),
            rendered=rendered,
            confirmed=kept.confirmed,
        )
        if kept.set_up is not None:
            if kept.confirmed:
                self._tracker.confirm()
            self._show(self._tracker.fix(kept.turns, kept.not_these), None, time.time())
            if kept.ended:
                self._finish()

    def result(self) -> dict[str, Any]:
        """How the game stands, as `live --json` ends: set-up, turns with frame and confidence, points."""
        view, set_up = self._view, self._ledger.set_up
        value: Mapping[str, Any] = {}
        points: Mapping[str, int] = {}
        if view.state is not None:
            value, points = self._game.records.outcome(view.state).value, view.state.points
        turns = self._understood.turns if self._understood is not None else ()
        return {
            "header": set_up,
            "turns": [turn.to_json() for turn in turns],
            "events": [event.to_json() for event in view.events],
            "scores": dict(points),
            "final": dict(points),
            "outcome": view.outcome,
            **value,
        }

    # -- what the camera shows ------------------------------------------------------------------

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> SquaresUnderstood:
        """Take one picture into account, log what it changes, and tell it."""
        with self._lock:
            understood = self._tracker.see(observation)
            self._album.look(frame, observation, self._view.pack, self._game)
            if not self._ledger.ended:
                self._log(understood)
                self._show(understood, frame.index, arrived_s)
                if understood.state is not None and understood.state.over:
                    self._end("rules")
            if understood.board_seen and not understood.busy:
                self._album.rest()
            return understood

    def lost(self, message: str) -> None:
        """No picture comes for the time being, and why."""
        with self._lock:
            was = self._view.camera
            if (was.seeing, was.message) != ("lost", message):
                self._view = replace(self._view, camera=replace(was, seeing="lost", message=message))
                self._tell("camera", {"seeing": "lost", "message": message}, was.frame, None)

    def close_with_source(self) -> None:
        """The pictures are at their end, and so is the game."""
        with self._lock:
            if not self._ledger.ended:
                self._end("source")

    def _log(self, understood: SquaresUnderstood) -> None:
        """What the picture changed, as entries."""
        if understood.opening is not None:
            header = header_to_json(understood.opening)
            if header != self._ledger.set_up:
                self._write(book.SET_UP, {"header": header, "confirmed": False, "keep": 0})
        turns = [one.turn for one in understood.turns]
        keep = common_length(self._ledger.turns, turns)
        if keep < max(len(turns), len(self._ledger.turns)):
            lines = [turn.to_json() for turn in turns[keep:]]
            frames = [self._album.frame_index] * len(lines)
            self._write(book.SEEN, {"keep": keep, "lines": lines, "frames": frames})

    def _write(self, kind: str, data: Mapping[str, Any]) -> None:
        """One more entry; with turns comes the latest picture."""
        pictures: Mapping[str, bytes] = {}
        if kind == book.SET_UP or (kind == book.SEEN and data.get("lines")):
            pictures, beside = self._album.to_keep()
            data = {**data, **beside}
        if self._store is not None:
            entry = self._store.append(kind, data, pictures)
            self._ledger = self._ledger.with_entry(entry)
        else:
            self._ledger = self._ledger.with_entry(self._album.keep(kind, data, pictures))

    # -- what is shown ----------------------------------------------------------------------------

    def _show(self, understood: SquaresUnderstood, frame: int | None, arrived_s: float) -> None:
        was, live = self._view, self._store is not None
        self._understood = understood
        ledger, state = self._ledger, understood.state
        played = tuple(
            SquareTurnPlayed(one.turn.to_json(), one.step, frame_index, round(one.confidence, 4))
            for one, frame_index in zip(understood.turns, ledger.frames, strict=True)
        )
        self._view = replace(
            was,
            start=self._tracker.start,
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
            can_undo=live and ledger.can_undo,
            can_redo=live and bool(ledger.undone),
            can_end=live and state is not None and not ledger.ended,
            can_correct=live and state is not None and not ledger.ended,
        )
        self._tell_changes(was, understood, frame, arrived_s)
        self._ask()

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
        frames = self._view.camera.frames
        return CameraStatus(seeing, message, frame, frames, arrived_s)

    def _tell_changes(
        self, was: SquareView, understood: SquaresUnderstood, frame: int | None, arrived_s: float
    ) -> None:
        now = self._view
        before = [turn.line for turn in was.played]
        keep = common_length(before, [turn.line for turn in now.played])
        for number, turn in enumerate(now.played[keep:], keep + 1):
            data = {
                "turn": number,
                "player": turn.line["player"],
                "line": turn.line,
                "confidence": turn.confidence,
            }
            if number <= len(before):
                data["corrects"] = True
            self._tell("turn", data, frame, arrived_s)
            for event in turn.step.events:
                self._tell("score", event.to_json(), frame, arrived_s)
        if len(now.played) == keep < len(before):
            self._tell("turn", {"turn": keep, "taken_back": len(before) - keep}, frame, arrived_s)
        if understood.messages != self._messages:
            self._messages = understood.messages
            self._tell("fault", {"faults": [{"message": text} for text in self._messages]}, frame, arrived_s)
        looks = [
            (view.camera.seeing, view.missing, view.guide, view.phase, view.start, view.confirmed)
            for view in (was, now)
        ]
        if looks[0] != looks[1]:
            message = now.camera.message or now.missing
            self._tell("camera", {"seeing": now.camera.seeing, "message": message}, frame, arrived_s)

    def _ask(self) -> None:
        """The set-up is confirmed on a phone, or by the first turn."""
        view = self._view
        asked: tuple[Question, ...] = ()
        if self._store is not None and view.phase == "playing" and not view.confirmed and not view.played:
            options = (Option(YES, "Yes, begin"), Option(AGAIN, "No, read it again"))
            asked = (Question(SET_UP_QUESTION, ASK_SET_UP, options),)
        if [q.id for q in asked] != [q.id for q in self._asked]:
            told = [{"id": q.id, "text": q.text} for q in asked]
            self._asked = asked
            self._tell("question", {"questions": told}, view.camera.frame, None)

    def _tell(
        self, kind: EventType, data: Mapping[str, Any], frame: int | None, arrived_s: float | None
    ) -> None:
        self._feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._listener is not None:
            self._listener(kind, {**data, "frame": frame})

    def _end(self, by: str) -> None:
        self._write(book.ENDED, {"by": by})
        self._finish()

    def _finish(self) -> None:
        state, live = self._view.state, self._store is not None
        value: Mapping[str, Any] = {} if state is None else self._game.records.outcome(state).value
        winner = value.get("winner")
        camera = replace(self._view.camera, seeing="ended", message="")
        self._view = replace(
            self._view,
            phase="over",
            guide=(),
            misplaced=(),
            faults=(),
            winners=() if winner is None else (winner,),
            camera=camera,
            can_undo=live and self._ledger.can_undo,
            can_redo=live and bool(self._ledger.undone),
            can_end=False,
            can_correct=False,
        )
        self._ask()
        self._tell("end", {**value, "outcome": self._view.outcome}, camera.frame, None)

    # -- web.squaretable.SquareTable: reading -----------------------------------------------------

    def watch(self) -> Feed:
        """The table's feed."""
        return self._feed

    def state(self) -> SquareView:
        """The view now."""
        return self._view

    def questions(self) -> tuple[Question, ...]:
        """Whether the set-up is right, until somebody says so or plays."""
        return self._asked

    def moves(self, turn_no: int) -> Moves:
        """What a turn may have been."""
        self._must_be_live()
        with self._lock:
            before = self._state_before(turn_no)
            if before.over:
                raise Refusal("over", "the game is over: no turn follows")
            pawn = next(f for f in before.figures if f.kind == self._game.pawn and f.name == before.player)
            lines = tuple(turn.to_json() for turn in before.turns())
            return Moves(turn_no, before.player, pawn.square, lines)

    def picture(self) -> Picture | None:
        """The camera's latest picture, with what was recognised in it."""
        return self._album.picture()

    def crop(self, turn_no: int) -> bytes:
        """The part of the picture from which a turn was understood: where the pawn came from, and where it
        went."""
        with self._lock:
            before = self._state_before(turn_no)
            if not 0 < turn_no <= len(self._view.played):
                raise Refusal("unknown_turn", f"there is no turn {turn_no}")
            after = self._view.played[turn_no - 1].step.state
            player = before.player
            squares = [
                figure.square
                for state in (before, after)
                for figure in state.figures
                if figure.kind == self._game.pawn and figure.name == player
            ]
            jpeg = self._album.crop(self._ledger.entry_of[turn_no - 1], squares, len(before.terrain))
        if jpeg is None:
            raise Refusal("unknown_picture", f"no picture is kept of turn {turn_no}")
        return jpeg

    def question_crop(self, question_id: str) -> bytes:
        """The picture that the question about the set-up is about: the latest. A phone may ask for it just
        after somebody answered."""
        if question_id != SET_UP_QUESTION:
            raise Refusal("unknown_question", "there is no such question")
        picture = self._album.picture()
        if picture is None:
            raise Refusal("unknown_picture", "no picture is kept of this question")
        return picture.jpeg()

    def export(self) -> Export:
        """The record so far; empty before the set-up was read."""
        with self._lock:
            ledger = self._ledger
            lines: list[Mapping[str, Any]] = []
            if ledger.set_up is not None:
                ended = [{"end": True}] if ledger.ended else []
                lines = [ledger.set_up, *(turn.to_json() for turn in ledger.turns), *ended]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return Export("table.game.jsonl", "application/jsonl", text.encode())

    def _state_before(self, turn_no: int) -> SquarePosition:
        """The position before a turn; Refusal where there is none."""
        played, start = self._view.played, self._tracker.start
        if start is None or not 0 < turn_no <= len(played) + 1:
            raise Refusal("unknown_turn", f"there is no turn {turn_no}")
        return played[turn_no - 2].step.state if turn_no > 1 else start

    # -- web.squaretable.SquareTable: commands ----------------------------------------------------

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question."""
        with self._lock:
            question = next((q for q in self._asked if q.id == question_id), None)
            if question is None:
                raise Refusal("unknown_question", "this question is not open any more")
            if option_id not in [option.id for option in question.options]:
                raise Refusal("unknown_option", "this question has no such answer")
            if option_id == AGAIN:
                self._show(self._tracker.forget(), self._view.camera.frame, time.time())
                return
            self._write(book.SET_UP, {"header": self._ledger.set_up, "confirmed": True, "keep": 0})
            self._go_on(self._tracker.confirm())

    def correct(self, correction: Correction) -> None:
        """Put another turn in a turn's place, take it away, change the set-up, or say that what is told to
        stand wrongly stands right. Later turns that do not follow any more are looked at anew."""
        self._must_be_live()
        with self._lock:
            if self._ledger.ended:
                raise Refusal("over", "the game is over; undo its end first")
            if correction.agreed:
                self._go_on(self._tracker.overrule())
            elif correction.set_up is not None:
                self._correct_set_up(correction.set_up)
            elif correction.turn_no is not None and (correction.line is None) == correction.remove:
                self._correct_turn(correction.turn_no, correction.line)
            else:
                raise Refusal("incomplete", "say which turn is to be corrected, and how")

    def _correct_turn(self, number: int, line: Mapping[str, object] | None) -> None:
        at, known = number - 1, self._ledger.turns
        if not 0 <= at <= len(known) - (line is None):
            raise Refusal("unknown_turn", f"there is no turn {number}")
        state = self._state_before(number)
        kept = list(known[:at])
        if line is not None:
            try:
                turn = self._game.records.read_line(line)
                state = state.apply(turn).state
            except FieldError as error:
                raise Refusal("unreadable", f"this turn cannot be read: {error}") from None
            except IllegalTurn as error:
                raise Refusal("illegal", str(error)) from None
            kept.append(turn)
        kept += _following(state, known[at + 1 :])
        gone = [known[at]] if at < len(known) and known[at] not in kept[at : at + 1] else []
        keep = common_length(known, kept)
        data = {"what": "remove" if line is None else "correct", "turn": number, "keep": keep}
        lines = [turn.to_json() for turn in kept[keep:]]
        self._write(book.SAID, {**data, "lines": lines, "not_these": [turn.to_json() for turn in gone]})
        self._go_on(self._tracker.fix(kept, gone))

    def _correct_set_up(self, said: SetUp) -> None:
        asked = self._tracker.opening
        try:
            seen = self._game.opening_seen(asked, said.terrain, said.figures)
            opening = header_from_json(header_to_json(seen))  # what came from outside is read as a record is
            state = self._game.start(opening, self._view.pack)
        except IllegalTurn as error:
            raise Refusal("illegal", str(error)) from None
        except (FieldError, GameError) as error:
            raise Refusal("unreadable", f"this set-up cannot be read: {error}") from None
        kept = _following(state, self._ledger.turns)
        header = header_to_json(opening)
        self._write(book.SET_UP, {"header": header, "confirmed": True, "keep": len(kept)})
        self._tracker.confirm()
        self._go_on(self._tracker.fix(kept, (), opening))

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""
        self._must_be_live()
        with self._lock:
            if color not in [seat.color for seat in self._view.seats]:
                raise Refusal("unknown_player", f"nobody plays {color}")
            self._write(book.SEATED, {"color": color, "name": name})
            seats = tuple(Seat(s.color, name) if s.color == color else s for s in self._view.seats)
            self._view = replace(self._view, seats=seats, title=", ".join(seat.name for seat in seats))
            self._tell("seat", {"color": color, "name": name}, None, None)

    def undo(self) -> None:
        """Take back the end, the last correction, or the last turn."""
        self._must_be_live()
        with self._lock:
            if not self._ledger.can_undo:
                raise Refusal("nothing_to_undo", "there is nothing to take back")
            self._write(book.UNDONE, {})
            self._go_on(self._tracker.fix(self._ledger.turns, self._ledger.not_these))

    def redo(self) -> None:
        """Bring back what was taken back last."""
        self._must_be_live()
        with self._lock:
            if not self._ledger.undone:
                raise Refusal("nothing_to_redo", "nothing was taken back")
            self._write(book.REDONE, {})
            self._go_on(self._tracker.fix(self._ledger.turns))
            if self._ledger.ended:
                self._finish()

    def end(self) -> None:
        """End the game now."""
        self._must_be_live()
        with self._lock:
            if self._ledger.ended or self._view.state is None:
                raise Refusal("over", "the game cannot be ended now")
            self._end("people")

    def _go_on(self, understood: SquaresUnderstood) -> None:
        self._show(understood, self._view.camera.frame, time.time())

    def _must_be_live(self) -> None:
        if self._store is None:
            raise Refusal("recording", "this table replays a recording, which cannot be changed")


def _following(state: SquarePosition, turns: Sequence[Any]) -> list[Any]:
    """The first of ``turns`` that are legal one after the other from ``state``."""
    kept: list[Any] = []
    for turn in turns:
        if state.faults(turn):
            break
        kept.append(turn)
        state = state.apply(turn).state
    return kept
