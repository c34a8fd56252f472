"""Positions of Carcassonne Safari."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.fault import Fault
from engine.geometry import Cell, Corner, Vertex
from engine.message import counted
from engine.safari import scoring, water
from engine.safari.actions import Bonus, Dig, Drawn, Expand
from engine.safari.animals import AnimalTiles
from engine.safari.options import Options
from engine.safari.pieces import standing
from engine.safari.play import Run
from engine.safari.rules import Rules
from engine.tiles.actions import Action, TurnPart
from engine.tiles.board import Standing
from engine.tiles.common_rules import may_be_laid, tile_faults, unplaceable_faults, without_one
from engine.tiles.game import Final, GameState, IllegalTurn, Pick, ScoreEvent, Spot, Step
from engine.tiles.position import TilePosition
from engine.tiles.turn import UNKNOWN, Turn


@dataclass(frozen=True, slots=True)
class SafariState(TilePosition):
    """A position of this game: see `TilePosition`.

    ``trees`` are the baobabs with a meeple lying on them, by cell: (feature id, colour). ``holes`` are
    the animal tiles around each lattice point.
    """

    rules: Rules
    trees: Mapping[Cell, tuple[str, str]]
    holes: Mapping[Vertex, tuple[water.Token, ...]]
    rangers: tuple[Cell, ...]
    animals: AnimalTiles
    bag: Mapping[str, int]

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' if unseen."""
        return self.animals.hands

    @property
    def over(self) -> bool:
        """Whether the last tile is played or, under the rule ``unplaceable="bag"``, no remaining tile
        fits."""
        if not self.bag:
            return True
        return self.rules.unplaceable == "bag" and not any(
            self.grid.fits_anywhere(self.pack.designs[design_id]) for design_id in self.bag
        )

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table: meeples on trails and bush, on baobabs, watering holes, rangers."""
        return standing(self.landscape.regions, self.trees, self.holes, self.rangers)

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """The meeples that may be put on the tile laid at ``cell`` with rotation ``rot``, whatever the other
        parts of the turn."""
        return tuple(Options(self, self.design(design_id), cell, rot).meeples())

    def turns_for(
        self,
        design_id: str,
        cell: Cell,
        rot: int,
        corners: Collection[tuple[Cell, Corner]] | None = None,
    ) -> Iterator[Turn]:
        """Iterate over the legal turns with that placement, with unseen draws: no piece, then meeples, ranger
        moves, digs, expansions; of each first the turn without bonus tiles. Empty if the tile does not fit
        there or none of that face is left."""
        if self.over or not may_be_laid(self.bag, design_id):
            return
        if self.grid.faults(self.design(design_id), cell, rot):
            return
        yield from Options(self, self.design(design_id), cell, rot).turns(corners)

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""
        return tuple(Run(self, turn).faults)

    def apply(self, turn: Turn) -> Step:
        """Play the turn; IllegalTurn with all faults if it is illegal."""
        return self._after(Run(self, turn))

    def _after(self, run: Run) -> Step:
        """The step of an executed turn; IllegalTurn if it has faults."""
        if run.faults:
            raise IllegalTurn(run.faults)
        state = replace(
            self,
            turn_no=self.turn_no + 1,
            scores=run.scores,
            grid=run.grid,
            landscape=run.landscape,
            trees=run.trees,
            holes=run.holes,
            rangers=run.rangers,
            supply=run.supply,
            animals=run.animals,
            bag=without_one(self.bag, run.turn.tile),
        )
        return Step(state, tuple(run.events), run.laid_pieces)

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """The turn with its draws chosen by ``pick``; IllegalTurn if the rest of it is illegal."""
        run = Run(self, turn.seen, pick)
        self._after(run)
        made = (Drawn(player, tuple(animals)) for player, animals in run.draws.made.items())
        return replace(turn, parts=(*turn.seen.parts, *made))

    def drawn(self, turn: Turn, after: GameState) -> Mapping[str, tuple[str, ...]]:
        """The animal tiles that each player drew in ``turn``, in order, '?' for those not recorded; players
        who drew none are left out. ``after`` is the position after the turn."""
        told = {part.player: part.animals for part in turn.parts_of(Drawn)}
        used = Counter(part.player for part in turn.parts_of(Bonus))
        used[turn.player] += isinstance(turn.action, Dig | Expand)
        found = {}
        for player, hand in after.hands.items():
            number = len(hand) - len(self.hands[player]) + used[player]
            if number > 0:
                found[player] = told.get(player) or (UNKNOWN,) * number
        return found

    def token_added(self, cell: Cell, corner: Corner, animal: str) -> Expand:
        """The expansion of a watering hole by that animal tile, legal or not."""
        return Expand(cell, corner, animal)

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Reasons why the drawn face may not be put aside; empty if it fits nowhere."""
        return unplaceable_faults(self, design_id, tile_faults(self, design_id))

    def unplaceable(self, design_id: str) -> SafariState:
        """Put the drawn face aside; the same player draws again. IllegalTurn if it fits."""
        if found := self.unplaceable_faults(design_id):
            raise IllegalTurn(found)
        if self.rules.unplaceable == "bag":
            return self
        return replace(self, bag=without_one(self.bag, design_id))

    def final(self) -> Final:
        """The scores as if the game ended now (zman-2018, 'Game end and final scoring')."""
        events = scoring.end_events(self.landscape.regions, self.players, self.rules, self.turn_no)
        for player in self.players:
            if hand := len(self.hands[player]):
                why = counted(hand, "{number} animal tile in hand", "{number} animal tiles in hand")
                events.append(ScoreEvent(self.turn_no, player, hand, "hand", why, at_end=True))
        return Final.after(self.scores, events)

    def spots(self) -> tuple[Spot, ...]:
        """The value of every unfinished trail and bush."""
        return tuple(
            Spot(
                kind=region.kind,
                places=region.places,
                meeples=region.counts,
                if_completed=scoring.finished_points(region),
                if_ended=scoring.end_values(region, self.rules),
                open_edges=len(region.ports),
            )
            for region in self.landscape.regions
        )
