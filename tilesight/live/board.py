"""Board strategy: the differences between kinds of board, behind a watched game and its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from engine.game import Position
from engine.geometry import Cell
from tilesight.inference.protocols import Tracker, UnderstoodT
from tilesight.live.album import RecognisedPicture
from tilesight.table_log.event_fold import EntryKind, GameLedger, common_length
from tilesight.table_log.history import Bare, Edited, Reseat
from vision.observation import Frame, Observation
from web.table.correction import BoardCorrection
from web.table.pictures import Picture
from web.table.question import Question

ViewContra = TypeVar("ViewContra", contravariant=True)
SeenT = TypeVar("SeenT")
Ledger = GameLedger[Any]


@dataclass(frozen=True, slots=True)
class Order(Generic[UnderstoodT]):
    """Effect of a command: the log entry to write first (none if ``kind`` is None), and the call to the
    tracker.

    If ``track`` is None the tracker takes the log's turns as certain. ``answers`` is the id of the question
    that the command answers.
    """

    kind: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    track: Callable[[], UnderstoodT] | None = None
    answers: str = ""


def said(
    known: Sequence[Any], turns: Sequence[Any], not_these: Sequence[Any], data: Mapping[str, Any]
) -> Order[Any]:
    """Return the order that replaces the turns ``known`` by ``turns``.

    ``not_these`` are ruled out as the next turn; ``data`` describes the command in the log.
    """
    keep = common_length(known, turns)
    lines = [turn.to_json() for turn in turns[keep:]]
    refused = [turn.to_json() for turn in not_these]
    return Order(EntryKind.SAID, {**data, "keep": keep, "lines": lines, "not_these": refused})


SeatPlayers = Callable[[tuple[str, ...], Sequence[Any], Ledger], Edited[Any]]
"""Function of players, turns and ledger that returns the turns as played by these players; raises Refusal if
that is not possible."""
Confirm = Callable[[Sequence[Any], int, UnderstoodT], UnderstoodT]
"""Understanding once people have said that one of the turns, by number, is right as it was told."""


class BoardStrategy(Protocol[UnderstoodT, ViewContra, SeenT]):
    """One kind of board for one game: its tracker, and everything that depends on how the board looks.

    Methods that handle a command raise Refusal if it cannot be carried out.
    """

    reseat: Reseat
    """Gives a turn to another player, for edits of the history."""

    bare: Bare
    """Gives a turn without its piece, for edits of the history."""

    seated: SeatPlayers
    """Gives the game of other players."""

    confirm: Confirm[UnderstoodT] | None
    """Takes a doubtful turn for certain, and those after it not; None where all are certain then."""

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
        """Return a picture for the album."""

    def picture(self, look: RecognisedPicture[SeenT], view: ViewContra) -> Picture:
        """Return a picture with its overlay."""

    def unclear(self, understood: UnderstoodT) -> tuple[str, tuple[Cell, ...]] | None:
        """Return what no legal turn explains, in words and by cells; None if everything is explained."""

    # -- the log

    def resume(self, ledger: Ledger) -> UnderstoodT | None:
        """Resume the game from the log; None if the log holds no game yet."""

    def follow(self, ledger: Ledger) -> UnderstoodT:
        """Make the tracker take the log's turns as certain."""

    def news(self, understood: UnderstoodT, ledger: Ledger) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the log entries (kind and data) that a picture causes besides its turns."""

    def frame_of(self, turn: Any, latest: int | None) -> int | None:
        """Return the index of the picture that decided a turn; ``latest`` is the index of the latest
        picture."""

    def header(self, ledger: Ledger) -> Mapping[str, Any] | None:
        """Return the record's header; None while the opening position is still being read."""

    # -- what is told

    def shown(self, understood: UnderstoodT, ledger: Ledger) -> Mapping[str, Any]:
        """Return the view's fields that depend on the board: state, played turns, misplaced pieces."""

    def faults(self, understood: UnderstoodT) -> tuple[Mapping[str, Any], ...]:
        """Return the faults of the table as it is, for the event ``fault``."""

    def camera_note(self, view: ViewContra) -> tuple[str, object]:
        """Return the message for the event ``camera``, and a value whose change triggers that event."""

    def ending(self, view: ViewContra) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the view's fields at the end of the game, and the data of the event ``end``."""

    def turn_cells(self, view: ViewContra, turn_no: int) -> Sequence[Cell]:
        """Return the cells that show a played turn."""

    # -- what people say

    def questions(self, understood: UnderstoodT, ledger: Ledger) -> tuple[Question, ...]:
        """Return the questions that the pictures leave open, with the likeliest answer first."""

    def answer(
        self, question: Question, option_id: str, understood: UnderstoodT, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """Return the order for an answer; ``option_id`` is one of the question's options."""

    def correct_board(
        self, correction: BoardCorrection, understood: UnderstoodT | None, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """Return the order for a correction of something other than a turn."""

    def read_turn(self, line: Mapping[str, object]) -> Any:
        """Return a record line as the game's turn. Raises FieldError if it is invalid."""

    def refused_turns(self, known: Sequence[Any], at: int, kept: Sequence[Any]) -> Sequence[Any]:
        """Return the turns to rule out next, after ``known`` was corrected at index ``at`` to ``kept``.
        Raises Refusal if that correction is impossible."""
