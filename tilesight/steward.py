"""Who keeps a live game: what the camera shows and what people say, in one log, one after the other.

The watching thread and the dashboard's threads come here; one lock makes them take turns. Everything is in
the log before it is told, and after a crash the log alone says how the game stands.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

import cv2

from engine.game import GameState, IllegalTurn
from engine.jsonvalue import FieldError
from engine.turn import Turn
from tilesight import ledger as book
from tilesight.ledger import Ledger, common_length
from tilesight.live import LiveTable
from tilesight.narrate import described
from tilesight.store import TableStore
from tilesight.turns import Doubt, TurnTracker, Understanding
from vision.observation import Frame, Observation
from web.table import Correction, Option, Question, Refusal

OTHER = "other"
"""The answer 'none of these'."""
KEPT_PX = 1280
"""Width of the pictures kept with the log."""


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
        self.understood: Understanding | None = None
        if ledger.turns:
            self._show(self._tracker.fix(ledger.turns), time.time())
        table.steward = self
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
            if not self._ledger.ended:
                self._log_seen(understood, frame)
                self._show(understood, arrived_s)
                if understood.state.over:
                    self._end({"by": "rules"})
            return understood

    def last_look(self) -> Understanding:
        """No more pictures come: what is known now is how it was."""
        with self._lock:
            understood = self._tracker.finish()
            if not self._ledger.ended:
                self._log_seen(understood, self._frame)
                self._show(understood, time.time())
            return understood

    def lost(self, message: str) -> None:
        """No picture comes for the time being."""
        with self._lock:
            self._table.lost(message)

    def _log_seen(self, understood: Understanding, frame: Frame | None) -> None:
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
        self._write(book.SEEN, data, frame)

    def _show(self, understood: Understanding, arrived_s: float) -> None:
        self.understood = understood
        self._doubt = understood.doubt
        index = self._frame.index if self._frame is not None else 0
        self._table.take(understood, index, arrived_s)
        self._table.ask(self.questions())
        ledger = self._ledger
        self._table.show_commands(
            can_undo=ledger.can_undo, can_redo=bool(ledger.undone), can_end=not ledger.ended
        )

    def _write(self, kind: str, data: Mapping[str, object], frame: Frame | None = None) -> None:
        pictures = {"frame": _jpeg(frame)} if frame is not None else {}
        self._ledger = self._ledger.with_entry(self._store.append(kind, data, pictures))

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

    def correct(self, correction: Correction) -> None:
        """Put another turn in a turn's place; later turns that do not follow any more are looked at anew."""
        if correction.scores is not None:
            raise Refusal("scores", "scores follow from the turns: correct the turn that is wrong")
        if correction.turn_no is None or correction.line is None:
            raise Refusal("incomplete", "say which turn is to be corrected, and how")
        with self._lock:
            at = correction.turn_no - 1
            known = list(self._ledger.turns)
            if not 0 <= at <= len(known):
                raise Refusal("unknown_turn", f"there is no turn {correction.turn_no}")
            try:
                turn = Turn.from_json(correction.line)
            except FieldError as error:
                raise Refusal("unreadable", f"this turn cannot be read: {error}") from None
            state = self._start
            for earlier in known[:at]:
                state = state.apply(earlier).state
            try:
                state = state.apply(turn).state
            except IllegalTurn as error:
                raise Refusal("illegal", str(error)) from None
            turns = [*known[:at], turn]
            for later in known[at + 1 :]:
                if state.faults(later):
                    break
                turns.append(later)
                state = state.apply(later).state
            self._said(turns, {"what": "correct", "turn": correction.turn_no})

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
        self._write(book.SAID, {**data, "keep": keep, "lines": lines}, self._frame)
        self._go_on(not_these)

    def _go_on(self, not_these: Sequence[Turn]) -> None:
        self._show(self._tracker.fix(self._ledger.turns, not_these), time.time())

    def _end(self, data: Mapping[str, object]) -> None:
        self._write(book.ENDED, data)
        self._finish()

    def _finish(self) -> None:
        state = self.understood.state if self.understood is not None else self._start
        self._table.finish(state.final())
        self._table.show_commands(can_undo=True, can_redo=bool(self._ledger.undone), can_end=False)


def _jpeg(frame: Frame) -> bytes:
    image = frame.image
    scale = KEPT_PX / image.shape[1]
    if scale < 1.0:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())
