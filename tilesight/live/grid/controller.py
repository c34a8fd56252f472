"""Controller of a live game on squares: camera and people take turns to write one table log.

The watching thread and the dashboard's threads come here; one lock makes them take turns. With a store
everything is in the log before it is told, and after a crash the log alone says how the game stands; without
one a recording is shown, which nobody can change.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any

from engine.game import GameError, IllegalTurn, Opening
from engine.grid_game import SquareGame, SquarePosition
from engine.jsonvalue import FieldError
from engine.pack import Pack
from engine.record import header_from_json, header_to_json
from tilesight.inference.grid.tracker import SquareTracker
from tilesight.inference.grid.understanding import SquaresUnderstood
from tilesight.live.grid.album import SquareAlbum
from tilesight.live.grid.table import AGAIN, SET_UP_QUESTION, Listener, SquareShown
from tilesight.table_log import event_fold as book
from tilesight.table_log.event_fold import GameLedger, common_length, folded, following
from tilesight.table_log.event_store import StoreError, TableStore
from vision.observation import Frame, Observation
from web.tables.feed import Feed
from web.tables.grid_table import Moves, SquareView
from web.tables.table import (
    Correction,
    Export,
    Picture,
    Question,
    Refusal,
    Seat,
    SetUp,
)


class SquareSteward:
    """One watched game on squares (web.tables.grid_table.SquareTable). ``opening`` may hold a set-up or leave
    it to be read; a log that holds turns already is taken up."""

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
        self._store = store
        self._game = game
        self._understood: SquaresUnderstood | None = None
        self._album = SquareAlbum(store)
        self._ledger: GameLedger[Any] = GameLedger(read_turn=game.records.read_line)
        if store is not None:
            self._ledger = folded(self._ledger, store.entries())
        kept = self._ledger
        self._tracker = SquareTracker(game, pack, opening)
        names = {**names, **kept.names}
        self._shown = SquareShown(
            game,
            pack,
            tuple(Seat(color, names.get(color, color)) for color in opening.players),
            title=title or ", ".join(names.values()),
            frames=frames,
            rendered=rendered,
            live=store is not None,
            listener=listener,
        )
        if kept.set_up is not None:
            self._take_up(kept.set_up)

    def _take_up(self, set_up: Mapping[str, Any]) -> None:
        """Go on with the game that the log holds. StoreError where it makes no sense."""
        kept = self._ledger
        try:
            understood = self._tracker.fix(kept.turns, kept.not_these, header_from_json(set_up))
        except (FieldError, GameError) as error:
            raise StoreError(f"the table's log makes no sense ({error})") from None
        if kept.confirmed:
            self._tracker.confirm()
        self._show(understood, None, time.time())
        if kept.ended:
            self._shown.finish(kept)

    def result(self) -> dict[str, Any]:
        """How the game stands, as `live --json` ends: set-up, turns with frame and confidence, points."""
        view, set_up = self._shown.view, self._ledger.set_up
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
            self._album.look(frame, observation, self._shown.view.pack, self._game)
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
            self._shown.lost(message)

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

    def _end(self, by: str) -> None:
        self._write(book.ENDED, {"by": by})
        self._shown.finish(self._ledger)

    # -- web.tables.grid_table.SquareTable: reading -----------------------------------------------------

    def watch(self) -> Feed:
        """The table's feed."""
        return self._shown.feed

    def state(self) -> SquareView:
        """The view now."""
        return self._shown.view

    def questions(self) -> tuple[Question, ...]:
        """Whether the set-up is right, until somebody says so or plays."""
        return self._shown.asked

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
            if not 0 < turn_no <= len(self._shown.view.played):
                raise Refusal("unknown_turn", f"there is no turn {turn_no}")
            after = self._shown.view.played[turn_no - 1].step.state
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
        played, start = self._shown.view.played, self._tracker.start
        if start is None or not 0 < turn_no <= len(played) + 1:
            raise Refusal("unknown_turn", f"there is no turn {turn_no}")
        return played[turn_no - 2].step.state if turn_no > 1 else start

    # -- web.tables.grid_table.SquareTable: commands ----------------------------------------------------

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question."""
        with self._lock:
            question = next((q for q in self._shown.asked if q.id == question_id), None)
            if question is None:
                raise Refusal("unknown_question", "this question is not open any more")
            if option_id not in [option.id for option in question.options]:
                raise Refusal("unknown_option", "this question has no such answer")
            if option_id == AGAIN:
                self._go_on(self._tracker.forget())
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
            if correction.scores is not None:
                raise Refusal("no_scores", "points follow from the moves here: correct the move instead")
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
        kept += following(state, known[at + 1 :])
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
            state = self._game.start(opening, self._shown.view.pack)
        except IllegalTurn as error:
            raise Refusal("illegal", str(error)) from None
        except (FieldError, GameError) as error:
            raise Refusal("unreadable", f"this set-up cannot be read: {error}") from None
        kept = following(state, self._ledger.turns)
        header = header_to_json(opening)
        self._write(book.SET_UP, {"header": header, "confirmed": True, "keep": len(kept)})
        self._tracker.confirm()
        self._go_on(self._tracker.fix(kept, (), opening))

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""
        self._must_be_live()
        with self._lock:
            if color not in [seat.color for seat in self._shown.view.seats]:
                raise Refusal("unknown_player", f"nobody plays {color}")
            self._write(book.SEATED, {"color": color, "name": name})
            self._shown.rename(color, name)

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
                self._shown.finish(self._ledger)

    def end(self) -> None:
        """End the game now."""
        self._must_be_live()
        with self._lock:
            if self._ledger.ended or self._shown.view.state is None:
                raise Refusal("over", "the game cannot be ended now")
            self._end("people")

    def _show(self, understood: SquaresUnderstood, frame: int | None, arrived_s: float) -> None:
        self._understood = understood
        self._shown.take(understood, self._ledger, self._tracker.start, frame, arrived_s)

    def _go_on(self, understood: SquaresUnderstood) -> None:
        self._show(understood, self._shown.view.camera.frame, time.time())

    def _must_be_live(self) -> None:
        if self._store is None:
            raise Refusal("recording", "this table replays a recording, which cannot be changed")
