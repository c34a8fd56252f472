"""Controller of a live tile game: camera and people take turns to write one table log.

The watching thread and the dashboard's threads come here; one lock makes them take turns. Everything is in
the log before it is told, and after a crash the log alone says how the game stands.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.geometry import Cell
from engine.jsonvalue import FieldError
from engine.tiles.board import Laid
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.turn import Turn
from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Doubt, Understanding
from tilesight.live.album import SENT_PX, Lookout, Shot, jpeg_of
from tilesight.live.table import LiveTable
from tilesight.sessions.narration import described
from tilesight.table_log import event_fold as book
from tilesight.table_log.event_fold import Ledger, common_length, following
from tilesight.table_log.event_store import TableStore
from vision.image.decode import decode_image
from vision.observation import Frame, Observation
from web.tables.choices import choices_of
from web.tables.table import Choices, Correction, Option, Picture, Question, Refusal

OTHER = "other"
"""The answer 'none of these'."""
BOARD_AT = "H_px_from_board"
"""In an entry with a picture: where the board lies in it, the nine numbers of the homography by rows."""


class Steward:
    """One live game. ``start`` is the position before turn 1; a log that holds turns already is taken up."""

    def __init__(self, start: GameState, store: TableStore, ledger: Ledger, table: LiveTable) -> None:
        self._start = start
        self._store = store
        self._ledger = ledger
        self._table = table
        self._lock = threading.RLock()
        self._tracker = TurnTracker(start)
        self._doubt: Doubt | None = None
        self._frame: Frame | None = None
        self._lookout = Lookout()
        self._doubted: tuple[str, Shot | None] = ("", None)
        self.understood: Understanding | None = None
        self._rested: Shot | None = None
        self._looked = bool(ledger.turns)
        table.give_by_hand(ledger.by_hand)
        if ledger.turns or ledger.not_these:
            self._show(self._tracker.fix(ledger.turns, ledger.not_these), time.time())
        table.steward = self
        table.album = self
        table.show_commands(can_undo=ledger.can_undo, can_redo=bool(ledger.undone), can_end=True)

    @property
    def ended(self) -> bool:
        """Whether the game was ended, by the rules or by people."""
        return self._ledger.ended

    # -- what the camera shows ------------------------------------------------------------------

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        """Take one picture into account, log what it changes, and tell it."""
        with self._lock:
            understood = self._tracker.see(observation)
            self._frame = frame
            self._lookout.look(frame, observation, understood.lattice)
            if not self._ledger.ended:
                if not self._looked and understood.board_seen:
                    self._write(book.LOOKED, {"frame": frame.index})
                    self._looked = True
                self._log_seen(understood)
                self._show(understood, arrived_s)
                if understood.state.over:
                    self._end({"by": "rules"})
            if understood.board_seen and not understood.busy:
                self._rested = self._lookout.shot()
            return understood

    def last_look(self) -> Understanding:
        """No more pictures come: what is known now is how it was."""
        with self._lock:
            understood = self._tracker.finish()
            if not self._ledger.ended:
                self._log_seen(understood)
                self._show(understood, time.time())
            return understood

    def lost(self, message: str) -> None:
        """No picture comes for the time being."""
        with self._lock:
            self._table.lost(message)

    def _log_seen(self, understood: Understanding) -> None:
        turns = [turn.turn for turn in understood.turns]
        known = self._ledger.turns
        if len(turns) == len(known) and all(a == b for a, b in zip(turns, known, strict=True)):
            return
        keep = common_length(known, turns)
        data = {
            "keep": keep,
            "lines": [turn.to_json() for turn in turns[keep:]],
            "frames": [turn.frame_index for turn in understood.turns[keep:]],
        }
        self._write(book.SEEN, data)

    def _show(self, understood: Understanding, arrived_s: float) -> None:
        self.understood = understood
        self._doubt = understood.doubt
        index = self._frame.index if self._frame is not None else 0
        self._table.take(understood, index, arrived_s)
        questions = self.questions()
        if questions and questions[0].id != self._doubted[0]:
            self._doubted = (questions[0].id, self._lookout.shot())
        self._table.ask(questions)
        ledger = self._ledger
        self._table.show_commands(
            can_undo=ledger.can_undo, can_redo=bool(ledger.undone), can_end=not ledger.ended
        )

    def _write(self, kind: str, data: Mapping[str, object]) -> None:
        """One more entry; with turns come the latest picture, where the board lies in it, and the picture of
        the table at rest before it."""
        pictures = {}
        shot = self._lookout.shot() if "lines" in data or kind == book.LOOKED else None
        if shot is not None:
            if self._rested is not None and kind == book.SEEN:
                pictures["before"] = jpeg_of(self._rested.image)
            pictures["frame"] = jpeg_of(shot.image)
            if shot.H_px_from_board is not None:
                scale = min(1.0, SENT_PX / shot.image.shape[1])
                H = np.diag([scale, scale, 1.0]) @ shot.H_px_from_board
                data = {**data, BOARD_AT: [float(f"{number:.6g}") for number in (H / H[2, 2]).flat]}
        self._ledger = self._ledger.with_entry(self._store.append(kind, data, pictures))

    # -- the pictures (tilesight.live.album.Album) -----------------------------------------------------

    def picture(self, board: Mapping[Cell, Laid]) -> Picture | None:
        """The camera's latest picture."""
        return self._lookout.picture(board)

    def turn_shot(self, number: int) -> Shot | None:
        """The picture kept with the entry that last said what turn ``number`` was."""
        with self._lock:
            entries = self._ledger.entry_of
            entry = self._store.entry(entries[number - 1]) if 0 < number <= len(entries) else None
            jpeg = self._store.picture(entry.number, "frame") if entry is not None else None
        if entry is None or jpeg is None:
            return None
        board_at = entry.data.get(BOARD_AT)
        H = None if board_at is None else np.array(board_at, np.float64).reshape(3, 3)
        return Shot(decode_image(jpeg), H)

    def question_shot(self, question_id: str) -> Shot | None:
        """The picture in which the open question arose."""
        known, shot = self._doubted
        return shot if known == question_id else None

    # -- what people say ------------------------------------------------------------------------

    def questions(self) -> tuple[Question, ...]:
        """What the pictures leave open, with the likeliest answers first."""
        doubt = self._doubt
        if doubt is None or self._ledger.ended:
            return ()
        options = [Option(str(i), described(turn), turn) for i, (turn, _) in enumerate(doubt.options)]
        first = doubt.options[0][0]
        return (
            Question(
                id=f"turn-{doubt.number}-{doubt.frame_index}",
                text=doubt.why or f"What was turn {doubt.number}?",
                options=(*options, Option(OTHER, "none of these")),
                cells=doubt.cells,
                frame=doubt.frame_index,
                player=first.player,
                turn_no=doubt.number,
            ),
        )

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question."""
        with self._lock:
            question = next((q for q in self.questions() if q.id == question_id), None)
            if question is None or self._doubt is None:
                raise Refusal("unknown_question", "this question is not open any more")
            option = next((o for o in question.options if o.id == option_id), None)
            if option is None:
                raise Refusal("unknown_option", "this question has no such answer")
            number, offered = self._doubt.number, [turn for turn, _ in self._doubt.options]
            before = list(self._ledger.turns[: number - 1])
            if option.turn is None:
                self._said(before, {"what": "answer", "none_of": number}, not_these=offered)
            else:
                self._said(
                    [*before, option.turn], {"what": "answer"}, [t for t in offered if t != option.turn]
                )

    def choices(self, turn_no: int, tile: str | None, cell: Cell | None, rot: int | None) -> Choices:
        """What a turn may have been."""
        with self._lock:
            turns = self.understood.turns if self.understood is not None else ()
            if not 0 < turn_no <= len(turns) + 1:
                raise Refusal("unknown_turn", f"there is no turn {turn_no}")
            before = turns[turn_no - 2].step.state if turn_no > 1 else self._start
            now = turns[turn_no - 1] if turn_no <= len(turns) else None
            likely = list(now.alternatives) if now is not None else []
            if self._doubt is not None and self._doubt.number == turn_no:
                likely = [turn for turn, _ in self._doubt.options]
        if before.over:
            raise Refusal("over", "the game is over: no turn follows")
        turn = now.turn if now is not None else None
        return choices_of(before, turn_no, turn, likely, tile=tile, cell=cell, rot=rot)

    def correct(self, correction: Correction) -> None:
        """Put another turn in a turn's place, or take it away; later turns that do not follow any more are
        looked at anew."""
        if correction.scores is not None and correction.turn_no is None:
            self._set_scores(correction.scores)
            return
        number, line = correction.turn_no, correction.line
        if number is None or (line is None) != correction.remove:
            raise Refusal("incomplete", "say which turn is to be corrected, and how")
        with self._lock:
            at, known = number - 1, self._ledger.turns
            if not 0 <= at <= len(known) - correction.remove:
                raise Refusal("unknown_turn", f"there is no turn {number}")
            if line is None:
                turns, lost = self._without(at)
                self._said(turns, {"what": "remove", "turn": number}, not_these=lost)
                return
            try:
                turn = Turn.from_json(line)
            except FieldError as error:
                raise Refusal("unreadable", f"this turn cannot be read: {error}") from None
            turns = self._replaced(at, turn)
            told = at < len(known) and replace(known[at], draws=turn.draws) == turn
            if told and len(turns) < len(known):
                message = "animal tiles played later were none of those: correct these turns first"
                raise Refusal("draws_disagree", message)
            self._said(turns, {"what": "correct", "turn": number})

    def _set_scores(self, scores: Mapping[str, int]) -> None:
        """People say how the scores stand: what the rules do not know is an entry of its own."""
        with self._lock:
            unknown = [color for color in scores if color not in self._start.players]
            if unknown:
                raise Refusal("unknown_player", f"nobody plays {unknown[0]}")
            if self._ledger.ended:
                raise Refusal("over", "the game is over; undo its end first")
            now = self._table.scores()
            points = {color: score - now[color] for color, score in scores.items() if score != now[color]}
            if points:
                self._write(book.SCORED, {"turn": len(self._ledger.turns), "points": points})
                self._go_on(())

    def _replaced(self, at: int, turn: Turn) -> list[Turn]:
        """The turns with another one at ``at``, as far as they still follow."""
        known = self._ledger.turns
        try:
            state = self._state_before(at).apply(turn).state
        except IllegalTurn as error:
            raise Refusal("illegal", str(error)) from None
        return [*known[:at], turn, *following(state, known[at + 1 :])]

    def _without(self, at: int) -> tuple[list[Turn], list[Turn]]:
        """The turns without the one at ``at``, as far as the later ones still follow, and those that are
        not supposed to come again by themselves."""
        known = self._ledger.turns
        kept = [*known[:at], *following(self._state_before(at), known[at + 1 :])]
        return kept, [] if len(kept) > at else [known[at]]

    def _state_before(self, at: int) -> GameState:
        state = self._start
        for earlier in self._ledger.turns[:at]:
            state = state.apply(earlier).state
        return state

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""
        with self._lock:
            if color not in self._start.players:
                raise Refusal("unknown_player", f"nobody plays {color}")
            self._write(book.SEATED, {"color": color, "name": name})
            self._table.rename(color, name)

    def undo(self) -> None:
        """Take back the end, the last correction, or the last turn."""
        with self._lock:
            if not self._ledger.can_undo:
                raise Refusal("nothing_to_undo", "there is nothing to take back")
            before = self._ledger.turns
            self._write(book.UNDONE, {})
            dropped = list(before[len(self._ledger.turns) :])
            self._go_on(dropped)

    def redo(self) -> None:
        """Bring back what was taken back last."""
        with self._lock:
            if not self._ledger.undone:
                raise Refusal("nothing_to_redo", "nothing was taken back")
            self._write(book.REDONE, {})
            self._go_on(())
            if self._ledger.ended:
                self._finish()

    def end(self) -> None:
        """End the game now and score it."""
        with self._lock:
            if self._ledger.ended:
                raise Refusal("over", "the game is over")
            self._end({"by": "people"})

    def close_with_source(self) -> None:
        """The pictures are at their end, and so is the game."""
        with self._lock:
            if not self._ledger.ended:
                self._end({"by": "source"})

    def _said(
        self, turns: Sequence[Turn], data: Mapping[str, object], not_these: Sequence[Turn] = ()
    ) -> None:
        if self._ledger.ended:
            raise Refusal("over", "the game is over; undo its end first")
        keep = common_length(self._ledger.turns, turns)
        lines = [turn.to_json() for turn in turns[keep:]]
        refused = [turn.to_json() for turn in not_these]
        self._write(book.SAID, {**data, "keep": keep, "lines": lines, "not_these": refused})
        self._go_on(not_these)

    def _go_on(self, not_these: Sequence[Turn]) -> None:
        self._table.give_by_hand(self._ledger.by_hand)
        self._show(self._tracker.fix(self._ledger.turns, not_these), time.time())

    def _end(self, data: Mapping[str, object]) -> None:
        self._write(book.ENDED, data)
        self._finish()

    def _finish(self) -> None:
        state = self.understood.state if self.understood is not None else self._start
        self._table.finish(state.final())
        self._table.show_commands(can_undo=True, can_redo=bool(self._ledger.undone), can_end=False)
