"""Options of Carcassonne Safari: the legal turns with a given placement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from engine.geometry import Cell, Corner
from engine.pack import Design
from engine.safari import water
from engine.safari.actions import Bonus, Dig, Expand, MoveRanger, RangerBack
from engine.safari.animals import AnimalTiles
from engine.safari.play import SafariTable
from engine.safari.rules import BAOBAB_TILES
from engine.tiles.actions import Action, Meeple
from engine.tiles.board import Laid
from engine.tiles.features import Region, finished_by
from engine.tiles.turn import UNKNOWN, FeatureRef, Turn


class Options:
    """Legal turns that lay ``design`` at ``cell``, rotated clockwise by ``rot`` degrees.
    The caller has checked that it fits."""

    def __init__(self, state: SafariTable, design: Design, cell: Cell, rot: int) -> None:
        self._state = state
        self._design = design
        self._cell = cell
        self._laid = Laid(design, rot)
        _, self._mine = state.landscape.lay(cell, self._laid)

    def turns(self, corners: Collection[tuple[Cell, Corner]] | None) -> Iterator[Turn]:
        """Yield the legal turns, with unseen draws; ``corners`` is that of `SafariState.turns_for`."""
        displaced = self._cell in self._state.rangers
        backs: tuple[tuple[RangerBack, ...], ...] = ((),)
        if displaced:
            backs = tuple((RangerBack(to),) for to in self.ranger_spaces())
        player, name, rot = self._state.player, self._design.id, self._laid.rot
        finished = finished_by(self._cell, self._mine)
        for action in self._actions(corners, displaced=displaced):
            for bonus in self._bonuses(action, finished) if finished else ((),):
                for back in backs:
                    yield Turn(player, name, self._cell, rot, action, back + bonus)

    def meeples(self) -> Iterator[Meeple]:
        """Yield the meeples that may be put on the tile ('Placing a meeple on an animal trail')."""
        if self._state.supply[self._state.player]:
            for feature in self._design.tile.features:
                if feature.id not in self._mine or not self._mine[feature.id].meeples:
                    yield Meeple(feature.id)

    def ranger_spaces(self) -> tuple[Cell, ...]:
        """Return the cells to which a ranger may move ('The Ranger').
        They are empty, adjacent to a tile, and without a ranger."""
        spaces = self._state.grid.lay(self._cell, self._laid).spaces
        return tuple(space for space in spaces if space not in self._state.rangers)

    def _actions(
        self, corners: Collection[tuple[Cell, Corner]] | None, *, displaced: bool
    ) -> Iterator[Action | None]:
        """Yield the legal actions, None (no action) first.
        ``displaced``: the tile displaces a ranger. ``corners`` limits them as in `turns`."""
        if not corners:
            yield None
            yield from self.meeples()
            if not displaced:
                spaces = self.ranger_spaces()
                yield from (MoveRanger(start, to) for start in self._state.rangers for to in spaces)
        if corners is None or corners:
            yield from self._animal_tiles(corners)

    def _animal_tiles(self, corners: Collection[tuple[Cell, Corner]] | None) -> Iterator[Action]:
        """Yield the legal digs and expansions of watering holes, only those on ``corners`` if given."""
        state = self._state
        board = {**state.board, self._cell: self._laid}
        candidates = state.animals.candidates(state.player)
        if state.supply[state.player]:
            cells = board if corners is None else {at for at, _ in corners}
            near = {at: laid for at, laid in board.items() if at in cells}
            for at, corner, _ in water.free_corners(near, state.holes, beside=False):
                if corners is None or (at, corner) in corners:
                    yield from (Dig(at, corner, animal) for animal in candidates)
        for at, corner, hole in water.free_corners(board, state.holes, beside=True):
            if corners is None or (at, corner) in corners:
                there = {token.animal for token in hole}
                yield from (Expand(at, corner, animal) for animal in candidates if animal not in there)

    def _bonuses(
        self, action: Action | None, finished: Sequence[tuple[FeatureRef, Region]]
    ) -> Iterator[tuple[Bonus, ...]]:
        """Yield the choices of bonus tiles that the hands allow after ``action``, starting with none.
        ``finished`` are the regions that the tile completes, each with the place of one of its features."""
        animals = self._usable_after(action)
        offers: list[list[Bonus | None]] = []
        for place, region in finished:
            scorers = region.majority
            if isinstance(action, Meeple) and (self._cell, action.feature) in region.places:
                scorers = frozenset({self._state.player})
            for player in self._state.players:
                if player in scorers:
                    new = (a for a in animals.candidates(player) if a not in region.animals)
                    offers.append([None, *(Bonus(player, *place, animal) for animal in new)])
        for choice in product(*offers):
            bonus = tuple(item for item in choice if item is not None)
            if _affordable(animals, bonus):
                yield bonus

    def _usable_after(self, action: Action | None) -> AnimalTiles:
        """Return the animal tiles from which bonus tiles may be taken after ``action``.
        One that the action lays on a watering hole is no longer in the hand; tiles that it draws for a baobab
        are in it, of unknown animals, if the rules let them be used at once."""
        animals, player = self._state.animals, self._state.player
        if isinstance(action, Dig | Expand):
            return animals.played(player, action.animal)
        on_baobab = isinstance(action, Meeple) and action.feature not in self._mine
        if on_baobab and self._state.rules.baobab_tiles_usable_at_once:
            for _ in range(BAOBAB_TILES):
                if (ready := animals.ready()).stock:
                    animals = ready.drawn(player, UNKNOWN)
        return animals


def _affordable(animals: AnimalTiles, bonus: tuple[Bonus, ...]) -> bool:
    """Whether the hands allow these bonus tiles together."""
    for item in bonus:
        if not animals.may_hold(item.player, item.animal):
            return False
        animals = animals.played(item.player, item.animal)
    return True
