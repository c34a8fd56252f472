"""Execution of one turn of a tile game: tile, action, scoring.

Each game's `Run` derives from `TileRun`. The same code plays legal turns and collects the faults of illegal
ones, so that legality and effect cannot disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar, Generic, Protocol, TypeVar

from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.message import Message, message_of
from engine.pack import Design
from engine.tiles.actions import TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.common_rules import TablePosition, turn_faults
from engine.tiles.features import Landscape, Region
from engine.tiles.foreign import ForeignError, face, is_foreign
from engine.tiles.game import ScoreEvent
from engine.tiles.turn import Turn


class RunPosition(TablePosition, Protocol):
    """Protocol of the position in which a turn is played."""

    @property
    def turn_no(self) -> int:
        """Number of turns played so far."""

    @property
    def scores(self) -> Mapping[str, int]:
        """Points of each player so far."""

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles by cell."""

    @property
    def landscape(self) -> Landscape:
        """The unfinished features."""


PositionT = TypeVar("PositionT", bound=RunPosition)


class TileRun(Generic[PositionT]):
    """One turn in one position. After a fault only independent checks are made, so that no fault is reported
    that is a mere consequence of another.

    ``grid``, ``landscape`` and ``scores`` start as those of the position and end as those after the turn.
    ``design`` is the face laid, None if it is unknown; ``own_regions`` are the regions of the laid tile's
    features, by feature id. ``laid_pieces`` are `engine.tiles.game.Step.laid`. ``own_parts`` are the kinds of
    part that a turn of the game may have.
    """

    own_parts: ClassVar[tuple[type[TurnPart], ...]] = ()

    def __init__(self, state: PositionT, turn: Turn) -> None:
        self.state = state
        self.turn = turn
        self.player = turn.player if turn.player in state.players else state.player
        self.faults: list[Fault] = []
        self.events: list[ScoreEvent] = []
        self.grid = state.grid
        self.landscape = state.landscape
        self.scores = state.scores
        self.design: Design | None = None
        self.own_regions: dict[str, Region] = {}
        self.laid_pieces: tuple[Standing, ...] = ()

    def _place(self, drawn_faults: Iterable[Fault]) -> Laid | None:
        """Lay the tile; return it, or None if the face is unknown or the cell is taken. ``drawn_faults`` are
        the reasons why the face cannot have been drawn."""
        state, turn = self.state, self.turn
        self.faults += turn_faults(state, turn)
        drawn_faults = self._foreign_faults() if is_foreign(turn.tile) else list(drawn_faults)
        self.faults += drawn_faults
        if any(fault.code in ("unknown_tile", "bad_foreign") for fault in drawn_faults):
            return None
        self.design = design = face(state.pack, turn.tile)
        self.faults += state.grid.faults(design, turn.cell, turn.rot)
        if turn.cell in state.board:
            return None
        laid = Laid(design, turn.rot)
        self.grid = state.grid.lay(turn.cell, laid)
        self.landscape, self.own_regions = state.landscape.lay(turn.cell, laid)
        return laid

    def _foreign_faults(self) -> list[Fault]:
        """Faults of a foreign tile's description; the number of foreign tiles is not limited."""
        try:
            face(self.state.pack, self.turn.tile)
        except ForeignError as error:
            return [Fault("bad_foreign", message_of(error), self.turn.cell)]
        return []

    def _refuse_other_parts(self) -> None:
        """Report the parts of the turn that this game lacks."""
        self.faults += [part.refused() for part in self.turn.parts if not isinstance(part, self.own_parts)]

    def _check_feature(self, design: Design, feature: str, known: Collection[str]) -> bool:
        """Whether ``feature`` is in ``known``, the laid tile's features; reports a fault if not."""
        if feature in known:
            return True
        message = Message(
            "{tile} has no feature {feature} (it has {known})",
            tile=design.id, feature=feature, known=tuple(known) or "–",
        )  # fmt: skip
        self._fault("no_such_feature", message, self.turn.cell, feature=feature)
        return False

    def _check_unoccupied(self, region: Region | None, feature: str) -> None:
        """Report a fault if the region on which a meeple is put already has one."""
        if region is not None and region.meeples:
            message = Message(
                "there is a meeple of {player} on this {kind} already",
                player=sorted(region.counts), kind=region.kind,
            )  # fmt: skip
            self._fault("feature_occupied", message, self.turn.cell, feature=feature)

    def _award(
        self,
        player: str,
        points: int,
        kind: str,
        why: Message,
        cells: tuple[Cell, ...],
        feature: str | None = None,
    ) -> None:
        """Add points to a player's score, and record the scoring event."""
        self.scores = {**self.scores, player: self.scores[player] + points}
        self.events.append(ScoreEvent(self.state.turn_no + 1, player, points, kind, why, cells, feature))

    def _fault(
        self,
        code: str,
        message: Message,
        cell: Cell | None = None,
        *,
        corner: Corner | None = None,
        feature: str | None = None,
        player: str | None = None,
    ) -> None:
        """Record a fault."""
        self.faults.append(Fault(code, message, cell, None, corner, feature, player))
