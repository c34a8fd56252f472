"""Execution of a turn in Carcassonne Safari: tile, action, ranger, scoring, draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.geometry import Cell, Corner, Vertex, ring, vertex
from engine.message import Message, counted
from engine.safari import scoring, water
from engine.safari.actions import Bonus, Dig, Drawn, Expand, MoveRanger, RangerBack
from engine.safari.animals import AnimalTiles
from engine.safari.draws import Draws, unknown_animal
from engine.safari.pieces import standing
from engine.safari.rules import (
    DIG_POINTS,
    EXPAND_POINTS,
    FULL_HOLE_POINTS,
    RANGER_POINTS,
    Rules,
)
from engine.tiles.actions import Meeple
from engine.tiles.board import Standing
from engine.tiles.common_rules import seats_from, unknown_player
from engine.tiles.features import Composition, Region, finished_by, replace_region
from engine.tiles.game import GameState, Pick
from engine.tiles.turn import FeatureRef, Turn
from engine.tiles.turn_runner import TileRun


@dataclass(frozen=True, slots=True)
class SafariTable(GameState):
    """The values of a position of this game: see `TilePosition`.

    ``trees`` are the baobabs with a meeple lying on them, by cell: (feature id, colour). ``holes`` are
    the animal tiles around each lattice point.
    """

    rules: Rules
    trees: Mapping[Cell, tuple[str, str]]
    holes: Mapping[Vertex, tuple[water.Token, ...]]
    rangers: tuple[Cell, ...]
    animals: AnimalTiles


class Run(TileRun[SafariTable]):
    """A turn of this game: see `TileRun`.
    ``pick`` chooses the animal tiles that are drawn; without it the turn names them. ``usable`` are the
    animal tiles that may be used as bonus tiles in this turn; ``back`` is the cell to which the turn puts a
    displaced ranger."""

    own_parts = (RangerBack, Bonus, Drawn)

    def __init__(
        self, state: SafariTable, turn: Turn, pick: Pick | None = None, *, forced: bool = False
    ) -> None:
        super().__init__(state, turn, forced=forced)
        self.draws = Draws(turn, state.players, pick)
        self.trees = dict(state.trees)
        self.holes = dict(state.holes)
        self.rangers = state.rangers
        self.supply: dict[str, int] = dict(state.supply)
        self.animals = state.animals
        self.usable = state.animals
        backs = turn.parts_of(RangerBack)
        self.back = backs[0].to if backs else None
        self.bonus = turn.parts_of(Bonus)
        self._run()

    def after(self) -> dict[str, Any]:
        """Return the fields of the position after the turn, by name."""
        return {
            **super().after(),
            "trees": self.trees,
            "holes": self.holes,
            "rangers": self.rangers,
            "animals": self.animals,
        }

    def _run(self) -> None:
        """Play the whole turn: set the attributes of the position after it.
        Reasons against it are appended to ``self.faults``; if there are any, nothing is scored."""
        laid = self._place() is not None
        if self._forced and not laid:
            return
        displaced = laid and self.turn.cell in self.rangers
        if displaced:
            self.rangers = tuple(cell for cell in self.rangers if cell != self.turn.cell)
        self._act(laid=laid, displaced=displaced)
        if laid:
            self._check_ranger_back(displaced=displaced)
        finished = [] if self._stopped else finished_by(self.turn.cell, self.own_regions)
        bonus = self._check_bonus(finished, whole=not self._stopped)
        if self._stopped:
            self.faults += self.draws.faults_alone(self.animals)
            return
        regions = (*self.landscape.occupied, *(region for _, region in finished))
        self.laid_pieces = standing(regions, self.trees, self.holes, self.rangers) + tuple(
            Standing("token", None, item.cell, item.feature, animal=item.animal) for item in self.bonus
        )
        self._score_features(finished, bonus)
        self._score_full_hole()
        self._return_surrounded_baobab_meeples()
        if displaced and self.back is not None:
            why = Message("a ranger displaced")
            self._award(self.player, RANGER_POINTS, "ranger", Composition(why, cells=(self.turn.cell,)))
            self.rangers = (*self.rangers, self.back)
        self.faults += self.draws.faults()

    # the action

    def _act(self, *, laid: bool, displaced: bool) -> None:
        """Execute the action; its faults, and parts that this game lacks, are appended to ``self.faults``.
        ``laid``: the tile could be laid; ``displaced``: it displaces a ranger."""
        action = self.turn.action
        match action:
            case Meeple(feature):
                self._place_meeple(feature)
            case MoveRanger(start, to):
                if displaced:
                    self._fault(
                        "ranger_after_displacement",
                        Message("the tile displaced a ranger, so no ranger may be moved as an action"),
                        start,
                    )
                self._move_ranger(start, to, laid=laid)
            case Dig(cell, corner, animal):
                self._dig(cell, corner, animal)
            case Expand(cell, corner, animal):
                self._expand(cell, corner, animal)
            case None:
                pass
            case _:
                self.faults.append(action.refused(self.turn.cell))
        self._refuse_other_parts()

    def _place_meeple(self, feature_id: str) -> None:
        """Put the player's meeple on a feature of the tile, or append the faults to ``self.faults``."""
        cell = self.turn.cell
        self._check_supply()
        if self._feature(feature_id) is None:
            return
        region = self.own_regions.get(feature_id)
        self._check_unoccupied(region, feature_id)
        if self._stopped:
            return
        self.supply[self.player] -= 1
        if region is None:  # a baobab: it reaches no edge
            self.trees[cell] = (feature_id, self.player)
            self._draw(self.player)
            if self.state.rules.baobab_tiles_usable_at_once:
                self.usable = self.animals
            return
        self.landscape, occupied = self.landscape.with_meeple(region, self.player, (cell, feature_id))
        replace_region(self.own_regions, region, occupied)

    def _move_ranger(self, start: Cell, to: Cell, *, laid: bool) -> None:
        """Move a ranger, or append the reasons against it to ``self.faults``.
        ``laid``: the tile could be laid; only then is the new space checked."""
        if start not in self.state.rangers:
            self._fault("no_ranger", Message("no ranger stands at {cell}", cell=start), start)
        if start == to:
            message = Message("a ranger that moves must change its space")
            self._fault("ranger_same_space", message, to)
        elif laid:
            others = tuple(cell for cell in self.rangers if cell != start)
            self._check_ranger_space(to, others)
        if not self._stopped:
            self.rangers = tuple(to if cell == start else cell for cell in self.rangers)

    def _check_ranger_back(self, *, displaced: bool) -> None:
        """Append the faults of the cell to which a displaced ranger is put back to ``self.faults``."""
        to = self.back
        if displaced and to is None:
            message = Message("the tile displaced a ranger: it must be put on another space (ranger_to)")
            self._fault("ranger_not_put_back", message, self.turn.cell)
        elif displaced and to is not None:
            self._check_ranger_space(to, self.rangers)
        elif to is not None:
            message = Message("no ranger was displaced, so none is put back")
            self._fault("ranger_not_displaced", message, to)

    def _check_ranger_space(self, to: Cell, others: tuple[Cell, ...]) -> None:
        """Append a fault to ``self.faults`` if no ranger may be put on ``to``; ``others`` are taken."""
        if to in self.grid.tiles:
            message = Message("a ranger needs an empty space; a tile lies at {cell}", cell=to)
            self._fault("ranger_on_tile", message, to)
        elif to in others:
            message = Message("the other ranger stands at {cell}", cell=to)
            self._fault("ranger_on_ranger", message, to)
        elif to not in self.grid.spaces:
            message = Message("{cell} touches no tile by a side", cell=to)
            self._fault("ranger_not_adjacent", message, to)

    def _dig(self, cell: Cell, corner: Corner, animal: str) -> None:
        """Dig a watering hole, or append the reasons against it to ``self.faults``."""
        point = vertex(cell, corner)
        hole = self.holes.get(point, ())
        if self.supply[self.player] <= 0:
            message = Message("{player} has no meeple left to dig with", player=self.player)
            self._fault("no_meeple", message, player=self.player)
        self._check_corner(cell, corner, animal)
        if water.touching(hole, cell):
            message = Message("a new watering hole may not touch an animal tile there by a side")
            self._fault("dig_touches", message, cell, corner=corner)
        if self._stopped:
            return
        self._play(self.player, animal)
        self.supply[self.player] -= 1
        self.holes[point] = (*hole, water.Token(cell, corner, animal, self.player))
        why = Message("a watering hole dug with {article} {animal}", article=_article(animal), animal=animal)
        self._award(self.player, DIG_POINTS, "dig", Composition(why, ((cell, corner),), (cell,)))

    def _expand(self, cell: Cell, corner: Corner, animal: str) -> None:
        """Expand a watering hole, or append the reasons against it to ``self.faults``."""
        point = vertex(cell, corner)
        hole = self.holes.get(point, ())
        self._check_corner(cell, corner, animal)
        if not water.touching(hole, cell):
            message = Message("there is no animal tile beside that corner to expand")
            self._fault("expand_touches_nothing", message, cell, corner=corner)
        if any(token.animal == animal for token in hole):
            message = Message(
                "there is {article} {animal} at this watering hole already",
                article=_article(animal), animal=animal,
            )  # fmt: skip
            self._fault("animal_repeated", message, cell, corner=corner)
        if self._stopped:
            return
        self._play(self.player, animal)
        self.holes[point] = hole = (*hole, water.Token(cell, corner, animal))
        if self._forced:
            return
        why = Message(
            "{article} {animal} as tile {number} of a watering hole",
            article=_article(animal), animal=animal, number=len(hole),
        )  # fmt: skip
        self._award(self.player, EXPAND_POINTS[len(hole)], "expand", water.composition(hole, why))

    def _check_corner(self, cell: Cell, corner: Corner, animal: str) -> None:
        """Append to ``self.faults`` the reasons why the player may not lay that animal tile on the corner."""
        self.faults += water.corner_faults(self.grid.tiles, self.holes, cell, corner)
        self._check_hand(self.state.animals, self.player, animal, cell)

    def _check_hand(self, animals: AnimalTiles, player: str, animal: str, cell: Cell) -> bool:
        """Whether the player may have that animal tile in hand; appends a fault to ``self.faults`` if not."""
        if animal not in animals.hidden:
            self.faults.append(unknown_animal(player, animal, cell))
        elif not animals.may_hold(player, animal):
            message = Message(
                "{player} has no such animal tile in hand: {animal}", player=player, animal=animal
            )
            self._fault("animal_not_in_hand", message, cell, player=player)
        else:
            return True
        return False

    def _play(self, player: str, animal: str) -> None:
        """Remove an animal tile from the player's hand, in ``self.animals`` and ``self.usable``.
        Hands that cannot hold it (in a forced turn) stay as they are."""
        if self.animals.may_hold(player, animal):
            self.animals = self.usable = self.animals.played(player, animal)

    # scoring

    def _check_bonus(
        self, finished: list[tuple[FeatureRef, Region]], *, whole: bool
    ) -> dict[tuple[str, int], Bonus]:
        """Check the bonus tiles; return them by (player, index into ``finished``). Faults go to `faults`.
        Without ``whole``, when ``finished`` is not known, only the checks that do not depend on it are
        made."""
        chosen: dict[tuple[str, int], Bonus] = {}
        usable = self.usable
        for item in self.bonus:
            if item.player not in self.state.players:
                self.faults.append(unknown_player(item.player))
                continue
            if self._check_hand(usable, item.player, item.animal, item.cell):
                usable = usable.played(item.player, item.animal)
            laid = self.grid.tiles.get(item.cell)
            if laid is None:
                message = Message("there is no tile at {cell} to add an animal tile to", cell=item.cell)
                self._fault("no_tile", message, item.cell, player=item.player)
                continue
            if laid.design.tile.feature(item.feature) is None:
                message = Message(
                    "{tile} at {cell} has no feature {feature}",
                    tile=laid.design.id, cell=item.cell, feature=item.feature,
                )  # fmt: skip
                self._fault("no_such_feature", message, item.cell, feature=item.feature, player=item.player)
                continue
            if whole:
                self._check_bonus_place(item, finished, chosen)
        return chosen

    def _check_bonus_place(
        self, item: Bonus, finished: list[tuple[FeatureRef, Region]], chosen: dict[tuple[str, int], Bonus]
    ) -> None:
        """Check the bonus tile ``item`` against the finished regions, and add it to ``chosen``.
        The reasons against it are appended to ``self.faults``."""
        place = (item.cell, item.feature)
        which = next((i for i, (_, region) in enumerate(finished) if place in region.places), None)
        if which is None:
            message = Message("an animal tile may only be added to a trail or bush that this turn finishes")
            self._fault("bonus_unfinished", message, item.cell, feature=item.feature, player=item.player)
            return
        region = finished[which][1]
        if item.player not in region.majority:
            message = Message(
                "{player} does not score this {kind}, so may add no animal tile to it",
                player=item.player, kind=region.kind,
            )  # fmt: skip
            self._fault("bonus_not_scoring", message, item.cell, feature=item.feature, player=item.player)
        if item.animal in region.animals:
            message = Message(
                "there is {article} {animal} on this {kind} already",
                article=_article(item.animal), animal=item.animal, kind=region.kind,
            )  # fmt: skip
            self._fault("bonus_printed", message, item.cell, feature=item.feature, player=item.player)
        if (item.player, which) in chosen:
            message = Message(
                "{player} may add only one animal tile to this {kind}", player=item.player, kind=region.kind
            )
            self._fault("bonus_twice", message, item.cell, feature=item.feature, player=item.player)
        chosen[item.player, which] = item

    def _score_features(
        self, finished: list[tuple[FeatureRef, Region]], bonus: Mapping[tuple[str, int], Bonus]
    ) -> None:
        """Score the finished regions with their bonus tiles, and return their meeples to the supply."""
        for item in bonus.values():
            if self.animals.may_hold(item.player, item.animal):  # not so in some forced turns
                self.animals = self.animals.played(item.player, item.animal).discarded(item.animal)
        for i, (_, region) in enumerate(finished):
            for player in self._paid(region.majority):
                added = bonus.get((player, i))
                animal = added.animal if added else None
                points = scoring.finished_points(region, animal)
                why = scoring.finished_reason(region, animal)
                self._award(player, points, region.kind, Composition.of(region, why))
            for color, _ in region.meeples:
                self.supply[color] += 1

    def _score_full_hole(self) -> None:
        """Score a watering hole that the turn filled, if any, and return its meeples to the supply."""
        action = self.turn.action
        if not isinstance(action, Expand):
            return
        point = vertex(action.cell, action.corner)
        hole = self.holes[point]
        if len(hole) < 4:
            return
        owners = [token.meeple for token in hole if token.meeple is not None]
        of = water.composition(hole, Message("a watering hole completed"))
        for player in self._paid(owners):
            self._award(player, FULL_HOLE_POINTS, "watering_hole", of)
        for color in owners:
            self.supply[color] += 1
        self.holes[point] = tuple(replace(token, meeple=None) for token in hole)

    def _return_surrounded_baobab_meeples(self) -> None:
        """Return the meeples of surrounded baobabs to the supply, and draw their owners' animal tiles."""
        tiles, cell = self.grid.tiles, self.turn.cell
        home = [
            tree
            for tree in ((cell, *ring(cell)) if self.trees else ())
            if tree in self.trees and all(beside in tiles for beside in ring(tree))
        ]
        if not home:
            return
        owners = {tree: self.trees.pop(tree) for tree in home}
        for player in seats_from(self.state.players, self.player):
            for tree, (feature, owner) in owners.items():
                if owner == player:
                    self.supply[player] += 1
                    number = self._draw(player)
                    why = counted(
                        number,
                        "a baobab surrounded, {number} animal tile drawn",
                        "a baobab surrounded, {number} animal tiles drawn",
                    )
                    self._award(player, 0, "baobab", Composition(why, ((tree, feature),), (tree,)))

    def _draw(self, player: str) -> int:
        """Draw a baobab's animal tiles; return the number drawn. Faults of the draw go to ``self.faults``."""
        self.animals, number, faults = self.draws.baobab(player, self.animals)
        self.faults += faults
        return number


def _article(animal: str) -> str:
    """Return the animal's indefinite article in English."""
    return "an" if animal[0] in "aeiou" else "a"
