"""Watched game: the camera and people write to one table log in turn, and every change is published.

The watching thread and the dashboard's threads call it; one lock serialises them. Every change is in the log
before it is published, so that after a crash the log alone determines the game. A recording has no log on the
disk and is read-only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic

from engine.game import GameError, Position
from engine.jsonvalue import FieldError
from engine.message import NO_MESSAGE, Message
from tilesight.inference.protocols import UnderstoodT
from tilesight.live.album import Album, FramingAdvice
from tilesight.live.asking import DoubtfulTurns, Doubts, OpenQuestions
from tilesight.live.asking.scene import camera_status
from tilesight.live.board import BoardStrategy, Order, SeenT, is_idle, logged, overruled, said
from tilesight.live.journal import Journal
from tilesight.live.publication import Publication, ViewT, camera_event
from tilesight.table_log.doubts import doubts_differ, doubts_to_json
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import StoreError
from tilesight.table_log.history import common_length
from vision.observation import Frame, Mark, Observation
from web.table.access import SPEAKER, Access
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.live.watched_game")

MARKS_AT_MOST = 20_000
"""Maximum number of pictures whose marks are held in memory: some megabytes."""


class WatchedGame(Generic[UnderstoodT, ViewT, SeenT]):
    """A game that is being watched (a `tilesight.live.watching.Watcher`).

    If the log already holds turns, the game resumes from them.
    """

    def __init__(
        self,
        board: BoardStrategy[UnderstoodT, ViewT, SeenT],
        journal: Journal,
        publication: Publication[ViewT],
    ) -> None:
        """Open the game. Raises StoreError if the log is inconsistent."""
        self.lock = threading.RLock()
        self.board = board
        self.journal = journal
        self.publication = publication
        self.album: Album[SeenT] = Album()
        self.understood: UnderstoodT | None = None
        """The last published understanding."""
        self._unkept: tuple[UnderstoodT, float] | None = None
        """Understanding after the latest picture and that picture's arrival, until its changes are in the
        log."""
        self._marks: dict[int, Mark] = {}
        """Marks of the latest pictures by index, if the source keeps its pictures."""
        self.doubtful = DoubtfulTurns()
        self.asking = OpenQuestions()
        self.advice = FramingAdvice()
        """Advice on the camera, from the latest two checks."""
        try:
            resumed = board.resume(journal.ledger)
        except (FieldError, GameError) as error:
            raise StoreError(f"the table's log makes no sense ({error})") from None
        publication.put(**self._commands(publication.view.state))
        if resumed is not None:
            self.doubtful.hold(journal.ledger, resumed.settled)
            self._show(resumed, time.time())
            if journal.ledger.ended:
                self._finish()

    @property
    def ended(self) -> bool:
        """Whether the game has ended: by its rules, by people, or because the pictures ended."""
        return self.journal.ledger.ended

    # -- what the camera shows ------------------------------------------------------------------

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> UnderstoodT:
        """Process one picture: log its changes, then publish them. Return the understanding.

        ``arrived_s`` is its arrival (seconds since 1970). While the game is paused, the picture is shown but
        changes nothing. After the end it is not shown either: the finished board stays. Raises NotKeptError
        if the log cannot be written; then nothing was published.
        """
        with self.lock:
            self.journal.secure()
            if self.ended and self.understood is not None:
                return self.understood
            if self.journal.ledger.paused and self.understood is not None:
                # During a pause, the camera's picture is still shown.
                self.album.look(self.board.look(frame, observation, self.understood))
                self._show(self.understood, arrived_s)
                return self.understood
            understood = _certain(self, self.board.tracker.see(observation))
            self.album.look(self.board.look(frame, observation, understood))
            if frame.mark is not None:
                self._marks[frame.index] = frame.mark
                self._marks.pop(frame.index - MARKS_AT_MOST, None)
            self._unkept = understood, arrived_s
            self._keep()
            if understood.board_seen and not understood.busy and understood.scene is None:
                self.album.rest()
            return understood

    def lost(self, message: Message) -> None:
        """Publish why no picture is available.

        Also try again to log the changes of the last picture, if that failed before. If it fails again, the
        reason for that is published instead.
        """
        with self.lock:
            if self._unkept is not None:
                try:
                    self._keep()
                except StoreError as error:
                    message = Message("{reason}; trying again", reason=error.shown)
            self.publication.tell_lost(message)

    def _keep(self) -> None:
        """Log and publish the changes of the last picture, unless that is done; end a game that is over.

        Raises NotKeptError if the log cannot be written; the next call tries again.
        """
        if self._unkept is None:
            return
        understood, arrived_s = self._unkept
        if not self.ended:
            number = self.journal.number
            try:
                self._record_turns(understood)
            except StoreError:
                if number != self.journal.number:  # a part of the changes is in the log
                    self._show(understood, arrived_s)
                raise
            self._show(understood, arrived_s)
            # A recording ends only with its pictures, because later ones may still correct the last turn.
            ledger = self.journal.ledger
            over = understood.state is not None and understood.state.over
            if self.journal.live and over and ledger.played_on != ledger.turns:
                self.end("rules")
        self._unkept = None

    def finish(self) -> UnderstoodT:
        """Log, publish and return the final understanding, once no more pictures come.

        Raises NotKeptError if the log cannot be written.
        """
        with self.lock:
            understood = _certain(self, self.board.tracker.finish())
            if not self.ended:
                self._record_turns(understood)
                self._show(understood, time.time())
            return understood

    def close_with_source(self) -> None:
        """End the game, unless it has ended, because its pictures have ended."""
        with self.lock:
            if not self.ended:
                self.end("source")

    def _record_turns(self, understood: UnderstoodT, follows: str | None = None) -> None:
        """Log the turns and doubts that a picture changed, and its further entries (`BoardStrategy.news`).

        ``follows`` is the kind of people's entry that caused the change, if any.
        """
        for kind, data in self.board.news(understood, self.journal.ledger):
            self._write(kind, data)
        known, turns = self.journal.ledger.turns, [turn.turn for turn in understood.turns]
        keep = common_length(known, turns)
        if keep < max(len(turns), len(known)):
            latest = self.album.frame_index
            frames = [self.board.frame_of(turn, latest) for turn in understood.turns[keep:]]
            lines = [turn.to_json() for turn in turns[keep:]]
            about: dict[str, Any] = {"keep": keep, "lines": lines, "frames": frames}
            if self._marks:
                about["pictures"] = [None if at is None else self._marks.get(at) for at in frames]
            self._write(EntryKind.SEEN, about if follows is None else {**about, "follows": follows})
        ledger = self.journal.ledger
        doubts = self.doubtful.now(ledger, turns, understood.doubted)
        if doubts_differ(ledger.doubts, doubts):
            self._write(EntryKind.DOUBTED, doubts_to_json(doubts))

    # -- commands ------------------------------------------------------------------------

    def carry_out(self, order: Order[UnderstoodT]) -> None:
        """Log a command, make the tracker follow it, and publish the result.

        A command that changes nothing is not logged. Raises NotKeptError if the log cannot be written. If
        only the turns after the command cannot be logged, the command stays valid, and the next picture tries
        again.
        """
        before = self.journal.ledger
        if is_idle(order, self.journal.ledger, self.journal.number + 1):
            order = replace(order, kind=None)
        if order.kind is not None:
            self._write(order.kind, order.data)
        try:
            self._unkept = None  # the command has precedence
            understood = order.track() if order.track is not None else self.board.follow(self.journal.ledger)
            self.doubtful.hold(self.journal.ledger, understood.settled)
            now_s = time.time()
            if not self.ended:
                # Log later turns that the pictures show already: only what is in the log is published.
                self._unkept = understood, now_s
                self._record_turns(understood, order.kind)
                self._unkept = None
            self._show(understood, now_s, order)
            if before.new_colors(self.journal.ledger) is not None:
                self.publication.tell("seat", {"players": list(self.journal.ledger.header["players"])})
            if self.ended:  # a redo may bring the end back
                self._finish()
        except Exception as error:
            _catch_up(self)
            if order.kind is None or not isinstance(error, StoreError):
                raise

    def say(self, turns: Sequence[Any], not_these: Sequence[Any] = ()) -> UnderstoodT:
        """Take ``turns`` as the game's turns so far, with certainty, because people said so.

        ``not_these`` are ruled out as the next turn. Returns the understanding.
        """
        about = {"what": "said", "sure": [len(turns)] if turns else []}
        with self.lock:
            self.carry_out(said(self.journal.ledger.turns, turns, not_these, about))
            assert self.understood is not None
            return self.understood

    def rename(self, color: str, name: str) -> None:
        """Log and publish another name for the player with ``color``."""
        self._write(EntryKind.SEATED, {"color": color, "name": name})
        self.publication.rename(color, name, self.journal.number)

    def pause(self, paused: bool) -> None:
        """Log and publish a pause, or its end. No effect if the game is in that state already."""
        if paused != self.journal.ledger.paused:
            self._write(EntryKind.PAUSED, {"paused": paused})
            self.publication.put(**self._commands(self.publication.view.state))
            self.publication.tell("pause", {"paused": paused})

    def keep_access(self, access: Access) -> None:
        """Log the table's keys and what spectators may see, and publish that they changed."""
        with self.lock:
            self._write(EntryKind.KEYED, access.to_json())
            self.publication.put(entry=self.journal.number)
            self.publication.tell("access", {"spectators_see_camera": access.spectators_see_camera})

    def end(self, by: str) -> None:
        """Log and publish the end of the game; ``by`` is its cause: "rules", "people" or "source"."""
        self._write(EntryKind.ENDED, {"by": by})
        self._finish()

    def state_before(self, turn_no: int) -> Any:
        """Return the position before turn ``turn_no``, in the game's own type.

        The number after the last turn is allowed. Raises Refusal for any other number without a turn.
        """
        turns = self.understood.turns if self.understood is not None else ()
        start = self.board.start
        if start is None or not 0 < turn_no <= len(turns) + 1:
            raise Refusal("unknown_turn", Message("there is no turn {turn}", turn=turn_no))
        return turns[turn_no - 2].step.state if turn_no > 1 else start

    # -- log and view ---------------------------------------------------------------------------

    def _write(self, kind: str, data: Mapping[str, Any]) -> None:
        """Append one entry, with the latest picture if it holds turns, the first board or the finished one.

        The entry names the person who gave the command (`SPEAKER`). Raises NotKeptError if it cannot be
        written.
        """
        pictures: Mapping[str, bytes] = {}
        if kind == EntryKind.ENDED:
            self.album.keep_rest()
        if "lines" in data or kind in (EntryKind.LOOKED, EntryKind.SET_UP, EntryKind.ENDED):
            pictures, about = self.album.to_keep(before=kind in (EntryKind.SEEN, EntryKind.SET_UP))
            data = {**data, **about}
        at = self.album.frame_index
        if at in self._marks and (kind == EntryKind.UNDONE or data.get("not_these")):
            data = {**data, "picture": self._marks[at]}
        if (speaker := SPEAKER.get()) is not None:
            data = {**data, "who": speaker.to_json()}
        self.journal.write(kind, data, pictures)

    def _show(
        self, understood: UnderstoodT, arrived_s: float, order: Order[UnderstoodT] | None = None
    ) -> None:
        """Publish the game's state by the log, and what was understood from the latest picture.

        ``arrived_s`` is that picture's arrival (seconds since 1970). ``order`` is the command that caused the
        change, if any. Sets ``self.understood``.
        """
        board, publication, ledger = self.board, self.publication, self.journal.ledger
        self.understood = understood = logged(understood, ledger, board.start)
        told = [turn.turn for turn in understood.turns]
        ledger = replace(ledger, doubts=self.doubtful.now(ledger, told, understood.doubted))
        was, camera = board.camera_note(publication.view), publication.view.camera
        frame = self.album.frame_index
        publication.put(
            **board.shown(understood, ledger),
            camera=replace(
                camera_status(understood, board.unclear(understood), frame, camera.frames),
                framing=camera.framing,
            ),
            **self._commands(understood.state),
        )
        publication.tell_adjustments(ledger.by_hand)
        publication.tell_turns(understood.turns, frame, arrived_s)
        publication.tell_faults(board.faults(understood), frame, arrived_s)
        note, seeing = board.camera_note(publication.view), publication.view.camera.seeing
        if (note[1], seeing) != (was[1], camera.seeing):
            publication.tell("camera", camera_event(seeing, note[0]), frame, arrived_s)
        self._ask(understood, ledger.doubts, order)

    def _ask(self, understood: UnderstoodT, doubts: Doubts, order: Order[UnderstoodT] | None = None) -> None:
        """Publish the open questions and the ones that close now; a recording has none.

        ``order`` is the command that caused the change, if any.
        """
        ledger, asking = self.journal.ledger, self.asking
        if self.journal.live and not self.ended:
            closed = asking.ask(
                self.board.questions(understood, ledger),
                [turn.turn for turn in understood.turns],
                doubts,
                ledger.sure,
                by_people=order is not None,
                answered="" if order is None else order.answers,
            )
        else:
            closed = asking.close()
        latest = self.album.latest
        asking.keep_pictures(latest.shot if latest is not None else None)
        self.publication.put(closed=asking.closed)
        self.publication.ask(asking.open, closed, sorted(doubts))

    def _commands(self, state: Position | None) -> dict[str, Any]:
        """Return the view's fields for the log's number, the possible commands, and the clock.

        ``state`` is the position, None while the set-up is not read.
        """
        ledger, live = self.journal.ledger, self.journal.live
        playing = live and state is not None and not ledger.ended
        return {
            "can_undo": live and ledger.can_undo,
            "can_redo": live and bool(ledger.undone),
            "can_end": playing,
            "can_correct": playing,
            "paused": playing and ledger.paused,
            "clock": self.journal.clock,
            "entry": self.journal.number,
        }

    def _finish(self) -> None:
        """Publish the end of the game: close all questions, and show the final result."""
        publication = self.publication
        changes, data = self.board.ending(publication.view)
        camera = replace(publication.view.camera, seeing="ended", message=NO_MESSAGE, cells=(), framing=None)
        closed = self.asking.close()
        publication.put(**changes, phase="over", camera=camera, **self._commands(publication.view.state))
        publication.put(closed=self.asking.closed)
        publication.ask((), closed, sorted(self.journal.ledger.doubts))
        publication.tell("end", data, camera.frame)


def _certain(game: WatchedGame[UnderstoodT, Any, Any], understood: UnderstoodT) -> UnderstoodT:
    """Return the understanding, by the log if it denies a turn that people confirmed; the tracker is told."""
    ledger = game.journal.ledger
    if overruled(understood, ledger):
        understood = game.board.follow(ledger)
        game.doubtful.hold(ledger, understood.settled)
    return understood


def _catch_up(game: WatchedGame[Any, Any, Any]) -> None:
    """Publish the game's state by the log alone, after an error has left the view behind the log."""
    try:
        understood = game.board.follow(game.journal.ledger)
        game.doubtful.hold(game.journal.ledger, understood.settled)
        game._show(understood, time.time())
        if game.ended:
            game._finish()
    except Exception:
        log.exception("the table's page cannot follow its log")
