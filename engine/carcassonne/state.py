"""Positions of Carcassonne."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.carcassonne.ending import end_events, spots
from engine.carcassonne.play import Run, deck_faults
from engine.carcassonne.river import River, whole_bag
from engine.carcassonne.rules import MONASTERY, RIVER, Rules
from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.pack import Design
from engine.tiles.actions import Action, Meeple, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.common_rules import may_be_laid, unplaceable_faults, without_one
from engine.tiles.features import Region
from engine.tiles.foreign import is_foreign
from engine.tiles.game import Final, IllegalTurn, Spot, Step
from engine.tiles.position import TilePosition
from engine.tiles.turn import FeatureRef, Turn


@dataclass(frozen=True, slots=True)
class CarcassonneState(TilePosition):
    """A position of this game: see `TilePosition`.

    ``edition`` is that of the river tiles, None without a river; ``river`` is the river's open end, None if
    it has none. ``stacks`` are the tiles to come, in drawing order. ``landscape`` holds the unfinished
    cities, roads and fields; ``closed`` are the finished cities, for which fields score, and the finished
    fields with farmers, who stay to the end. ``meeples`` are the pieces on the table by tile feature.
    """

    rules: Rules
    edition: str | None
    closed: tuple[Region, ...]
    meeples: Mapping[FeatureRef, Standing]
    stacks: tuple[Mapping[str, int], ...]
    river: River | None

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table."""
        return tuple(self.meeples.values())

    @property
    def bag(self) -> Mapping[str, int]:
        """The stack from which this turn's tile is drawn."""
        return next((stack for stack in self.stacks if stack), {})

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a whole game."""
        return whole_bag(self.pack, self.edition)

    @property
    def over(self) -> bool:
        """Whether the last tile is played or put aside."""
        return not any(self.stacks)

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) at which that face may be laid, with all rotations of symmetric tiles."""
        design, river = self.design(design_id), self.river
        fitting = self.grid.placements(design)
        if river is None or design.tile.deck != RIVER:
            return fitting
        return tuple((cell, rot) for cell, rot in fitting if not river.faults(design, cell, rot))

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """The meeples that may be put on the tile laid at ``cell`` with rotation ``rot``, whatever the other
        parts of the turn."""
        if not self.supply[self.player]:
            return ()
        design = self.design(design_id)
        _, own_regions = self.landscape.lay(cell, Laid(design, rot))
        return tuple(
            Meeple(feature.id)
            for feature in design.tile.features
            if feature.kind == MONASTERY or (feature.kind != RIVER and not own_regions[feature.id].meeples)
        )

    def turns_for(
        self,
        design_id: str,
        cell: Cell,
        rot: int,
        corners: Collection[tuple[Cell, Corner]] | None = None,
    ) -> Iterator[Turn]:
        """Iterate over the legal turns with that placement: no piece, then meeples. Empty if the tile does
        not fit there or none of that face can be drawn, and if ``corners`` names any."""
        if corners or self.over or not may_be_laid(self.bag, design_id):
            return
        if not self._fits(self.design(design_id), cell, rot):
            return
        yield Turn(self.player, design_id, cell, rot)
        for action in self.actions(design_id, cell, rot):
            yield Turn(self.player, design_id, cell, rot, action)

    def _fits(self, design: Design, cell: Cell, rot: int) -> bool:
        """Whether a placement fits its neighbours and continues the river."""
        if self.grid.faults(design, cell, rot):
            return False
        return design.tile.deck != RIVER or self.river is None or not self.river.faults(design, cell, rot)

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""
        return tuple(Run(self, turn).faults)

    def apply(self, turn: Turn) -> Step:
        """Play the turn; IllegalTurn with all faults if it is illegal."""
        run = Run(self, turn)
        if run.faults:
            raise IllegalTurn(run.faults)
        state = replace(
            self,
            turn_no=self.turn_no + 1,
            scores=run.scores,
            grid=run.grid,
            landscape=run.landscape,
            closed=run.closed,
            meeples=run.meeples,
            supply=run.supply,
            stacks=_without(self.stacks, turn.tile),
            river=run.river,
        )
        return Step(state, tuple(run.events), run.laid_pieces)

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Reasons why the drawn face may not be put aside; empty if it fits nowhere."""
        return unplaceable_faults(self, design_id, deck_faults(self, design_id))

    def unplaceable(self, design_id: str) -> CarcassonneState:
        """Put the drawn face aside, into the box; the same player draws again (docs/rulings.md, 'Tile that
        fits nowhere (Carcassonne)'). IllegalTurn if it fits."""
        if found := self.unplaceable_faults(design_id):
            raise IllegalTurn(found)
        return replace(self, stacks=_without(self.stacks, design_id))

    def final(self) -> Final:
        """The scores as if the game ended now (docs/rulings.md, 'End (Carcassonne)')."""
        return Final.after(self.scores, end_events(self))

    def spots(self) -> tuple[Spot, ...]:
        """The value of every unfinished city and road, every field that is open or has farmers, and every
        monastery with a monk."""
        return spots(self)


def _without(stacks: tuple[Mapping[str, int], ...], design_id: str) -> tuple[Mapping[str, int], ...]:
    """The stacks after one tile of the face is drawn from the first that is not empty; a foreign tile is in
    none."""
    if is_foreign(design_id):
        return stacks
    due = next(number for number, stack in enumerate(stacks) if stack)
    return (*stacks[:due], without_one(stacks[due], design_id), *stacks[due + 1 :])
