"""Positions of Carcassonne."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.carcassonne.ending import end_events, spots
from engine.carcassonne.play import CarcassonneTable, Run
from engine.carcassonne.river import whole_bag
from engine.carcassonne.rules import MONASTERY, RIVER
from engine.geometry import Cell
from engine.message import Message
from engine.pack import Design
from engine.tiles.actions import Action, Meeple, TurnPart
from engine.tiles.board import Laid
from engine.tiles.game import Final, Spot
from engine.tiles.turn import Turn


class CarcassonneState(CarcassonneTable):
    """A position of this game: see `CarcassonneTable`."""

    __slots__ = ()

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a whole game."""
        return whole_bag(self.pack, self.edition)

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Return every (cell, rotation) where that face may be laid, all those of symmetric tiles included.
        Raises GameError for an unknown face."""
        fitting = super().placements(design_id)
        if self.river is None:
            return fitting
        design = self.design(design_id)
        return tuple((cell, rot) for cell, rot in fitting if self._continues_river(design, cell, rot))

    def fits(self, design: Design, cell: Cell, rot: int) -> bool:
        """Whether a placement fits its neighbours and continues the river."""
        return super().fits(design, cell, rot) and self._continues_river(design, cell, rot)

    def _continues_river(self, design: Design, cell: Cell, rot: int) -> bool:
        """Whether a tile that fits its neighbours is no river tile or continues the river."""
        return design.tile.deck != RIVER or self.river is None or not self.river.faults(design, cell, rot)

    def reason_not_drawn(self, design_id: str) -> Message:
        """Return the reason why a tile is not drawn yet; it must be of a later stack."""
        return Message(
            "{tile} is not drawn yet: the river comes first (to come: {tile_due})",
            tile=design_id,
            tile_due=tuple(self.bag),
        )

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """Return the meeples that may be put on the tile laid at ``cell`` with rotation ``rot``.
        They do not depend on ``parts``; () if the player has none left."""
        if not self.supply[self.player]:
            return ()
        design = self.design(design_id)
        _, own_regions = self.landscape.lay(cell, Laid(design, rot))
        return tuple(
            Meeple(feature.id)
            for feature in design.tile.features
            if feature.kind == MONASTERY or (feature.kind != RIVER and not own_regions[feature.id].meeples)
        )

    def run(self, turn: Turn, *, forced: bool = False) -> Run:
        """Execute a turn, legal or not; the result has its faults."""
        return Run(self, turn, forced=forced)

    def final(self) -> Final:
        """Return the scores as if the game ended now (docs/rulings.md, 'End (Carcassonne)')."""
        return Final.after(self.scores, end_events(self))

    def spots(self) -> tuple[Spot, ...]:
        """Return the spots (places and their values) that players may ask for.
        They are every unfinished city and road, every field that is open or has farmers, and every monastery
        with a monk."""
        return spots(self)
