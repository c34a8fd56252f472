"""Board strategy: the part of a watched game and its table that depends on the kind of board."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from engine.game import Position
from engine.geometry import Cell
from engine.message import Message
from tilesight.inference.protocols import Tracker, Understood, UnderstoodT
from tilesight.live.album import RecognisedPicture
from tilesight.live.asking import scene as asking
from tilesight.live.asking.scene import SceneQuestions
from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import Entry
from tilesight.table_log.history import Bare, Edited, Reseat, common_length, following
from vision.observation import Frame, Observation
from web.table.correction import BoardCorrection
from web.table.pictures import Picture
from web.table.question import Question
from web.table.refusal import Refusal

ViewContra = TypeVar("ViewContra", contravariant=True)
SeenT = TypeVar("SeenT")
Ledger = GameLedger[Any]


TOLD = (
    "header", "names", "turns", "by_hand", "not_these", "set_up", "confirmed", "history", "doubts", "sure",
)  # fmt: skip
"""Fields of a ledger that people's commands change, without the steps of undo."""


@dataclass(frozen=True, slots=True)
class Order(Generic[UnderstoodT]):
    """Effect of a command: the log entry to write first, and then the call to the tracker.

    If ``kind`` is None, no entry is written. If ``track`` is None, the tracker takes the log's turns as
    certain. ``answers`` is the id of the question that the command answers.
    """

    kind: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    track: Callable[[], UnderstoodT] | None = None
    answers: str = ""


def said(
    known: Sequence[Any], turns: Sequence[Any], not_these: Sequence[Any], data: Mapping[str, Any]
) -> Order[Any]:
    """Return the order that replaces the turns ``known`` by ``turns``, written as an entry ``said``.

    ``not_these`` are ruled out as the next turn; ``data`` describes the command in the log.
    """
    keep = common_length(known, turns)
    lines = [turn.to_json() for turn in turns[keep:]]
    refused = [turn.to_json() for turn in not_these]
    return Order(EntryKind.SAID, {**data, "keep": keep, "lines": lines, "not_these": refused})


def scene_order(
    asked: SceneQuestions, option_id: str, understood: UnderstoodT, ledger: Ledger
) -> Order[UnderstoodT]:
    """Return the order for the answer ``option_id`` to a question of ``asked``."""
    turns = ledger.turns
    match option_id:
        case asking.BACK:
            return said(turns, turns[:-1], turns[-1:], {"what": "remove", "turn": len(turns)})
        case asking.UNDO:
            return Order(EntryKind.UNDONE)
        case asking.END:
            return Order(EntryKind.ENDED, {"by": "people"}, lambda: understood)
        case _:
            asked.go_on(understood.scene, turns)
            return Order(track=lambda: understood)


def is_idle(order: Order[Any], ledger: Ledger, number: int) -> bool:
    """Whether an order's entry, if written as number ``number``, would change nothing in the log's game."""
    if order.kind not in (EntryKind.SAID, EntryKind.SET_UP, EntryKind.RECOLORED):
        return False
    after = ledger.with_entry(Entry(number, order.kind, 0.0, order.data))
    return all(getattr(after, name) == getattr(ledger, name) for name in TOLD)


def overruled(understood: Understood, ledger: Ledger) -> bool:
    """Whether an understanding lacks or changes a turn that people confirmed."""
    turns = [turn.turn for turn in understood.turns]
    return any(turns[number - 1 : number] != [*ledger.turns[number - 1 : number]] for number in ledger.sure)


def logged(understood: UnderstoodT, ledger: Ledger, start: Position | None) -> UnderstoodT:
    """Return the understanding without turns that the log lacks: after the end, it gets no more turns.

    ``start`` is the position before turn 1.
    """
    keep = common_length(ledger.turns, [turn.turn for turn in understood.turns])
    if keep == len(understood.turns):
        return understood
    state = understood.turns[keep - 1].step.state if keep else start
    known: UnderstoodT = understood.up_to(keep, state)
    return known


def kept_from(position: Position, ledger: Ledger) -> list[Any]:
    """Return the first turns of the log that are legal from another ``position`` before turn 1.

    Raises Refusal if a turn that people confirmed is not among them.
    """
    kept = following(position, ledger.turns)
    check_confirmed(ledger, len(kept))
    return kept


def check_confirmed(ledger: Ledger, keep: int) -> None:
    """Raise Refusal if people confirmed a turn after the first ``keep``, which only they may delete."""
    lost = sorted(number for number in ledger.sure if number > keep)
    if lost:
        message = Message("turn {turn} was confirmed and would be lost: delete it first", turn=lost[0])
        raise Refusal("confirmed", message)


SeatPlayers = Callable[[tuple[str, ...], Sequence[Any], Ledger], Edited[Any]]
"""Function of players, turns and ledger that returns the turns as played by these players. Raises Refusal if
that is not possible."""
Confirm = Callable[[Sequence[Any], int, UnderstoodT], UnderstoodT]
"""Function of the turns, the number of the one that people confirmed, and the understanding; returns the new
understanding."""


class BoardStrategy(Protocol[UnderstoodT, ViewContra, SeenT]):
    """One kind of board for one game: its tracker, and everything that depends on the look of the board.

    Methods that handle a command raise Refusal if it cannot be carried out.
    """

    reseat: Reseat
    """Returns a turn as that of another player, for edits of the history."""

    bare: Bare
    """Returns a turn without its piece, for edits of the history."""

    seated: SeatPlayers
    """Returns the turns as played by other players."""

    confirm: Confirm[UnderstoodT] | None
    """Takes one turn as certain and leaves later ones open. If it is None, a confirmation makes all turns
    certain."""

    @property
    def tracker(self) -> Tracker[UnderstoodT]:
        """The tracker that follows the game."""

    @property
    def start(self) -> Position | None:
        """The position before turn 1; None while the opening position is still being read."""

    # -- the camera

    def look(
        self, frame: Frame, observation: Observation, understood: UnderstoodT
    ) -> RecognisedPicture[SeenT]:
        """Return a picture with what was recognised in it, for the album."""

    def picture(self, look: RecognisedPicture[SeenT], view: ViewContra) -> Picture:
        """Return a picture as sent to phones, with its overlay."""

    def unclear(self, understood: UnderstoodT) -> tuple[Message, tuple[Cell, ...]] | None:
        """Return a message about the part of the board that no legal turn explains, and its cells.

        None if everything is explained.
        """

    # -- the log

    def resume(self, ledger: Ledger) -> UnderstoodT | None:
        """Make the tracker continue the game of the log, and return its understanding.

        If the log holds no game yet, return None and leave the tracker unchanged. Raises FieldError or
        GameError if the log is inconsistent.
        """

    def follow(self, ledger: Ledger) -> UnderstoodT:
        """Make the tracker take the log's turns as certain, and return its understanding."""

    def news(self, understood: UnderstoodT, ledger: Ledger) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the log entries (kind and data) that a picture causes in addition to its turns."""

    def frame_of(self, turn: Any, latest: int | None) -> int | None:
        """Return the index of the picture that decided a turn; None if no picture did.

        ``latest`` is the index of the latest picture.
        """

    def header(self, ledger: Ledger) -> Mapping[str, Any] | None:
        """Return the record's header; None while the opening position is still being read."""

    # -- the view

    def shown(self, understood: UnderstoodT, ledger: Ledger) -> Mapping[str, Any]:
        """Return the view's fields that depend on the board: state, played turns, misplaced pieces."""

    def faults(self, understood: UnderstoodT) -> tuple[Mapping[str, Any], ...]:
        """Return the present faults of the table as JSON for the event ``fault``; empty if there are none."""

    def camera_note(self, view: ViewContra) -> tuple[Message, object]:
        """Return the message for the event ``camera``, and a value whose change triggers that event."""

    def ending(self, view: ViewContra) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the view's fields at the end of the game, and the data of the event ``end``."""

    def turn_cells(self, view: ViewContra, turn_no: int) -> Sequence[Cell]:
        """Return the cells that show the played turn ``turn_no`` (from 1)."""

    # -- commands

    def questions(self, understood: UnderstoodT, ledger: Ledger) -> tuple[Question, ...]:
        """Return the questions that the pictures leave open; the likeliest answer of each comes first."""

    def answer(
        self, question: Question, option_id: str, understood: UnderstoodT, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """Return the order for an answer; ``option_id`` is one of the question's options."""

    def correct_board(
        self, correction: BoardCorrection, understood: UnderstoodT | None, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """Return the order for a correction of something other than a turn.

        Raises Refusal if this kind of board has no such part, or if the correction is impossible.
        """

    def read_turn(self, line: Mapping[str, object]) -> Any:
        """Return a record line as the game's turn. Raises FieldError if it is invalid."""

    def refused_turns(self, known: Sequence[Any], at: int, kept: Sequence[Any]) -> Sequence[Any]:
        """Return the turns to rule out next, after ``known`` was corrected at index ``at`` to ``kept``.

        Raises Refusal if that correction is impossible.
        """
