"""The River expansion: its tiles, laid before all others, and its open end (docs/rulings.md, 'The River')."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.carcassonne.rules import RIVER, Rules
from engine.fault import Fault
from engine.geometry import EDGES, OPPOSITE, STEPS, Cell, Edge, neighbour, turned_edge
from engine.message import Message
from engine.pack import Design, Pack, Tile

EDITIONS = ("c1", "c3")
"""Editions of the river tiles, as headers name them."""
HEADER_CHOICES = {"river": EDITIONS}
"""Optional fields of the header, with their values."""
SOURCE, LAKE = "source", "lake"
"""Values of ``Tile.extra["river"]`` of the tiles at the river's ends."""
AHEAD, RIGHT = 0, 1
"""Bends, in clockwise quarter turns; 3 is a bend to the left."""


@dataclass(frozen=True, slots=True)
class River:
    """Open end of a river: the next river tile is laid on ``cell``, where the river enters over ``edge``.
    ``bend`` is the direction in which the next tile may not bend; AHEAD if it may bend either way."""

    cell: Cell
    edge: Edge
    bend: int = AHEAD

    def faults(self, design: Design, cell: Cell, rot: int) -> tuple[Fault, ...]:
        """Return the reasons why a river tile that fits by its edges may not continue the river at ``cell``.
        It may not lie elsewhere than at the river's end, or bend to the same side twice in a row; empty if it
        may."""
        if cell != self.cell:
            message = Message(
                "{tile} does not continue the river, which goes on at {cell}", tile=design.id, cell=self.cell
            )
            return (Fault("river_not_joined", message, cell),)
        leaves = self._leaves(design.tile, rot)
        if leaves is not None and self.bend != AHEAD and self._bend(leaves) == self.bend:
            message = Message("the river may not turn to the left twice in a row")
            if self.bend == RIGHT:
                message = Message("the river may not turn to the right twice in a row")
            return (Fault("river_u_turn", message, cell, leaves),)
        return ()

    def after(self, tile: Tile, rot: int, rules: Rules) -> River | None:
        """Return the open end after ``tile`` is laid with rotation ``rot``; None after the lake."""
        leaves = self._leaves(tile, rot)
        if leaves is None:
            return None
        bend = self._bend(leaves)
        if bend == AHEAD and rules.river_bends == "successive":
            bend = self.bend
        return River(neighbour(self.cell, leaves), OPPOSITE[leaves], bend)

    def _leaves(self, tile: Tile, rot: int) -> Edge | None:
        """Return the board edge over which the river leaves a tile on ``self.cell``; None for the lake."""
        return next((edge for edge in river_edges(tile, rot) if edge != self.edge), None)

    def _bend(self, leaves: Edge) -> int:
        """Return the bend, in clockwise quarter turns, of a river that leaves a tile over edge ``leaves``."""
        return (EDGES.index(leaves) - EDGES.index(OPPOSITE[self.edge])) % 4


def river_edges(tile: Tile, rot: int) -> tuple[Edge, ...]:
    """Return the board edges that the river crosses on a tile rotated by ``rot`` degrees."""
    return tuple(turned_edge(edge, rot) for edge in EDGES if tile.edges[edge] == RIVER)


def river_from(cell: Cell, source: Design) -> River:
    """Return the open end of a river that consists of its source, on ``cell`` with rotation 0."""
    edge = river_edges(source.tile, 0)[0]
    return River(neighbour(cell, edge), OPPOSITE[edge])


def river_path(board: Mapping[Cell, Tile], rots: Mapping[Cell, int], start: Cell) -> list[Cell]:
    """Return the cells of a laid river in order, from its source at ``start``.
    ``rots`` are the tiles' rotations in degrees."""
    path, came = [start], None
    while True:
        cell = path[-1]
        leaves = [e for e in river_edges(board[cell], rots[cell]) if e != came]
        if not leaves:
            return path
        x, y = cell
        dx, dy = STEPS[leaves[0]]
        following, came = (x + dx, y + dy), OPPOSITE[leaves[0]]
        if (
            following not in board
            or following in path
            or came not in river_edges(board[following], rots[following])
        ):
            return path
        path.append(following)


@lru_cache(maxsize=256)
def stacks_of(pack: Pack, edition: str | None) -> tuple[Mapping[str, int], ...]:
    """Return the number of tiles of each design in a whole game, stack by stack in drawing order.
    They are the river's tiles, the lake, all others; without a river (``edition`` None) only the last."""
    others = {name: n for name, n in pack.bag.items() if n and pack.designs[name].tile.deck != RIVER}
    if edition is None:
        return (others,)
    source, lake = _end_tile(pack, SOURCE, edition), _end_tile(pack, LAKE, edition)
    between = {
        name: n
        for name, n in pack.bag.items()
        if pack.designs[name].tile.deck == RIVER and RIVER not in pack.designs[name].tile.extra
    }
    assert source is not None and lake is not None
    return (between, {lake.id: 1}, others)


@lru_cache(maxsize=256)
def whole_bag(pack: Pack, edition: str | None) -> Mapping[str, int]:
    """Return the number of tiles of each design that are drawn in a whole game.
    ``edition`` is that of the river, None without one."""
    return {name: number for stack in stacks_of(pack, edition) for name, number in stack.items()}


def source_of(pack: Pack, edition: str) -> Design | None:
    """Return the river's source tile of that edition; None in a pack without source or lake."""
    source, lake = _end_tile(pack, SOURCE, edition), _end_tile(pack, LAKE, edition)
    return None if lake is None else source


def _end_tile(pack: Pack, end: str, edition: str) -> Design | None:
    """Return the river tile whose ``extra["river"]`` is ``end``; None if the pack has none.
    It is the edition's, else the one without an edition."""
    found = {
        design.tile.extra.get("edition", "").lower(): design
        for design in pack.designs.values()
        if design.tile.extra.get(RIVER) == end
    }
    return found.get(edition, found.get(""))
