"""Positions of Carcassonne Safari."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.geometry import Cell, Corner, vertex
from engine.message import counted
from engine.pack import Design
from engine.safari import scoring, water
from engine.safari.actions import Bonus, Dig, Drawn, Expand, MoveRanger, RangerBack
from engine.safari.options import Options
from engine.safari.pieces import standing
from engine.safari.play import Run, SafariTable
from engine.safari.rules import TAKES
from engine.tiles.actions import Action, Meeple, Put, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Composition, finished_by
from engine.tiles.game import FeatureUse, Final, GameState, Pick, ScoreEvent, Spot
from engine.tiles.pieces import features_take
from engine.tiles.turn import UNKNOWN, Turn


class SafariState(SafariTable):
    """A position of this game: see `SafariTable`."""

    __slots__ = ()

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' if unseen."""
        return self.animals.hands

    @property
    def over(self) -> bool:
        """Whether the last tile is played; under the rule ``unplaceable="bag"`` also whether none fits."""
        if self.due is None:
            return True
        return self.rules.unplaceable == "bag" and not any(
            self.grid.fits_anywhere(self.pack.designs[design_id]) for design_id in self.bag
        )

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table: meeples on regions and baobabs, animal tiles with meeples, rangers."""
        return standing(self.landscape.occupied, self.trees, self.holes, self.rangers)

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """Return the meeples that may be put on the tile laid at ``cell`` with rotation ``rot``.
        They do not depend on ``parts``; () if the player has none left."""
        return tuple(Options(self, self.design(design_id), cell, rot).meeples())

    def turns_with(
        self, design: Design, cell: Cell, rot: int, corners: Collection[tuple[Cell, Corner]] | None
    ) -> Iterator[Turn]:
        """Yield the turns with a face that may be laid there.
        First those without a piece, then meeples, ranger moves, digs, expansions; of each first the turn
        without bonus tiles. ``corners`` is that of `turns_for`."""
        return Options(self, design, cell, rot).turns(corners)

    def feature_uses(self, cell: Cell, laid: Laid) -> tuple[FeatureUse, ...]:
        """Return the actions that put a meeple on a feature of ``laid`` at ``cell``, legal or not."""
        _, own = self.landscape.lay(cell, laid)
        return tuple(
            FeatureUse(Meeple(feature.id), sort, feature.id, own.get(feature.id))
            for feature in laid.design.tile.features
            for sort in features_take(TAKES, feature.kind)
            if sort[0] == "meeple"
        )

    def actions_putting(self, turn: Turn, piece: Put) -> tuple[Action, ...]:
        """Return how ``turn`` may move a ranger to a space, or lay an animal tile on a corner."""
        if piece.kind == "ranger" and turn.cell not in self.rangers:
            return tuple(MoveRanger(start, piece.cell) for start in self.rangers)
        if piece.corner is None or piece.animal is None:
            return ()
        hole = self.holes.get(vertex(piece.cell, piece.corner), ())
        if any(token.cell == piece.cell for token in hole):
            return ()
        kind = Expand if water.touching(hole, piece.cell) else Dig
        return (kind(piece.cell, piece.corner, piece.animal),)

    def parts_putting(self, turn: Turn, piece: Put) -> tuple[TurnPart, ...]:
        """Return how ``turn`` may put a displaced ranger back, or add an animal tile to a feature."""
        if piece.kind == "ranger":
            return (RangerBack(piece.cell),) if turn.cell in self.rangers else ()
        if piece.feature is None or piece.animal is None:
            return ()
        laid, place = Laid(self.design(turn.tile), turn.rot), (piece.cell, piece.feature)
        for _, region in finished_by(turn.cell, self.landscape.lay(turn.cell, laid)[1]):
            if place in region.places:
                scorers = region.majority
                if isinstance(turn.action, Meeple) and (turn.cell, turn.action.feature) in region.places:
                    scorers = frozenset({self.player})
                return tuple(Bonus(one, *place, piece.animal) for one in self.players if one in scorers)
        return ()

    def run(self, turn: Turn, *, forced: bool = False) -> Run:
        """Execute a turn, legal or not; the result has its faults."""
        return Run(self, turn, forced=forced)

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """Return the turn with draws chosen by ``pick``. Raises IllegalTurn if the rest of it is illegal."""
        run = Run(self, turn.seen, pick)
        run.step()
        made = (Drawn(player, tuple(animals)) for player, animals in run.draws.made.items())
        return replace(turn, parts=(*turn.seen.parts, *made))

    def drawn(self, turn: Turn, after: GameState) -> Mapping[str, tuple[str, ...]]:
        """Return the animal tiles that each player drew in ``turn``, in order, '?' for those not recorded.
        Players without draws are left out. ``after`` is the position after the turn."""
        told = {part.player: part.animals for part in turn.parts_of(Drawn)}
        used = Counter(part.player for part in turn.parts_of(Bonus))
        used[turn.player] += isinstance(turn.action, Dig | Expand)
        found = {}
        for player, hand in after.hands.items():
            number = len(hand) - len(self.hands[player]) + used[player]
            if number > 0:
                found[player] = told.get(player) or (UNKNOWN,) * number
        return found

    def put_aside(self, design_id: str) -> SafariState:
        """Return the position after a face that fits nowhere is put aside.
        It goes into the box, or back into the bag, which changes nothing."""
        return self if self.rules.unplaceable == "bag" else super().put_aside(design_id)

    def final(self) -> Final:
        """Return the scores as if the game ended now (zman-2018, 'Game end and final scoring')."""
        events = scoring.end_events(self.landscape.regions, self.players, self.rules, self.turn_no)
        for player in self.players:
            if hand := len(self.hands[player]):
                of = Composition(
                    counted(hand, "{number} animal tile in hand", "{number} animal tiles in hand")
                )
                events.append(ScoreEvent(self.turn_no, player, hand, "hand", of, at_end=True))
        return Final.after(self.scores, events)

    def spots(self) -> tuple[Spot, ...]:
        """Return the value of every unfinished trail and bush, and of holes and baobabs with meeples."""
        return (
            *(scoring.spot(region, self.rules) for region in self.landscape.regions),
            *(scoring.hole_spot(hole) for hole in self.holes.values() if any(one.meeple for one in hole)),
            *(
                scoring.baobab_spot((cell, name), color, self.board)
                for cell, (name, color) in self.trees.items()
            ),
        )
