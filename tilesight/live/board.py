"""Board strategy: what differs between kinds of board behind a watched game and its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from engine.game import Position
from engine.geometry import Cell
from tilesight.inference.protocols import Tracker, UnderstoodT
from tilesight.live.album import Look
from tilesight.table_log.doubts import Doubted
from tilesight.table_log.event_fold import SAID, GameLedger, common_length
from tilesight.table_log.history import Bare, Edited, Reseat
from vision.observation import Frame, Observation
from web.views.table import Correction, Picture, Question

ViewContra = TypeVar("ViewContra", contravariant=True)
SeenT = TypeVar("SeenT")
Ledger = GameLedger[Any]


@dataclass(frozen=True, slots=True)
class Order(Generic[UnderstoodT]):
    """Consequence of a command of people: the entry to write first (``kind`` None: none), and what the
    tracker is then asked (``track`` None: to take the log's turns for certain). ``answers`` is the id of the
    question that the command answers."""

    kind: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    track: Callable[[], UnderstoodT] | None = None
    answers: str = ""


def said(
    known: Sequence[Any], turns: Sequence[Any], not_these: Sequence[Any], data: Mapping[str, Any]
) -> Order[Any]:
    """The order that follows where people say that the game's turns are ``turns``, ``known`` until now;
    ``not_these`` do not come next, ``data`` says in the log what was done."""
    keep = common_length(known, turns)
    lines = [turn.to_json() for turn in turns[keep:]]
    refused = [turn.to_json() for turn in not_these]
    return Order(SAID, {**data, "keep": keep, "lines": lines, "not_these": refused})


class Seated(Protocol):
    """Function that gives the game of other players, or of the same in another order."""

    def __call__(self, players: tuple[str, ...], turns: Sequence[Any], ledger: Ledger, /) -> Edited[Any]:
        """The turns so far as theirs; Refusal where there is no such game."""


Doubting = Callable[[UnderstoodT], Mapping[int, Doubted[Any]]]
"""Doubts about the turns of an understanding, by number: those that are sure may be among them."""
Fixed = Callable[[UnderstoodT], int]
"""Number of first turns of an understanding that later pictures leave as they are."""
Confirm = Callable[[Sequence[Any], int, UnderstoodT], UnderstoodT]
"""Understanding once people have said that one of the turns, by number, is right as it was told."""


class Board(Protocol[UnderstoodT, ViewContra, SeenT]):
    """One kind of board for one game: its tracker, and everything that depends on how the board looks.

    Whatever handles a command raises Refusal where it cannot be carried out.
    """

    reseat: Reseat
    """Gives a turn to another player, for edits of the history."""

    bare: Bare
    """Gives a turn without its piece, for edits of the history."""

    seated: Seated
    """Gives the game of other players."""

    doubted: Doubting[UnderstoodT]
    """Says what else turns may have been."""

    fixed: Fixed[UnderstoodT]
    """Says how many of the first turns the tracker doubts no more."""

    confirm: Confirm[UnderstoodT] | None
    """Takes a doubtful turn for certain, and those after it not; None where all are certain then."""

    @property
    def tracker(self) -> Tracker[UnderstoodT]:
        """The tracker that follows the game."""

    @property
    def start(self) -> Position | None:
        """The position before turn 1; None while the opening position is still being read."""

    # -- the camera

    def look(self, frame: Frame, observation: Observation, understood: UnderstoodT) -> Look[SeenT]:
        """A picture for the album."""

    def picture(self, look: Look[SeenT], view: ViewContra) -> Picture:
        """A picture with its overlay."""

    def unclear(self, understood: UnderstoodT) -> tuple[str, tuple[Cell, ...]] | None:
        """The things no legal turn explains, in words and by place; None where everything is explained."""

    # -- the log

    def resume(self, ledger: Ledger) -> UnderstoodT | None:
        """Go on with the game that the log holds; None where it holds none yet."""

    def follow(self, ledger: Ledger) -> UnderstoodT:
        """Take the log's turns for certain."""

    def news(self, understood: UnderstoodT, ledger: Ledger) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Entries that a picture gives rise to besides its turns: kind and data."""

    def frame_of(self, turn: Any, latest: int | None) -> int | None:
        """The index of the picture that decided an understood turn; ``latest`` is that of the latest."""

    def header(self, ledger: Ledger) -> Mapping[str, Any] | None:
        """The record's header; None while the opening position is still being read."""

    # -- what is told

    def shown(self, understood: UnderstoodT, ledger: Ledger) -> Mapping[str, Any]:
        """The fields of the view that depend on the board: state, played turns, what stands wrongly."""

    def faults(self, understood: UnderstoodT) -> tuple[Mapping[str, Any], ...]:
        """Faults that the rules find in the table as it stands, for the event ``fault``."""

    def camera_note(self, view: ViewContra) -> tuple[str, object]:
        """The words for the event ``camera``, and a value whose change calls for that event."""

    def ending(self, view: ViewContra) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The fields of the view at the end of the game, and the data of the event ``end``."""

    def turn_cells(self, view: ViewContra, turn_no: int) -> Sequence[Cell]:
        """The cells that show a played turn."""

    # -- what people say

    def questions(self, understood: UnderstoodT, ledger: Ledger) -> tuple[Question, ...]:
        """Questions that the pictures leave open, the likeliest answer first."""

    def answer(
        self, question: Question, option_id: str, understood: UnderstoodT, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """The order that an answer means; ``option_id`` is one of the question's options."""

    def correct_board(
        self, correction: Correction, understood: UnderstoodT | None, ledger: Ledger
    ) -> Order[UnderstoodT] | None:
        """The order that a correction of something other than a turn means; None where it corrects a turn."""

    def read_turn(self, line: Mapping[str, object]) -> Any:
        """A record line as the game's turn; FieldError where it cannot be read."""

    def refused_turns(self, known: Sequence[Any], at: int, kept: Sequence[Any]) -> Sequence[Any]:
        """The turns that do not come next once ``known`` was corrected at index ``at`` to ``kept``;
        Refusal where that correction cannot stand."""
