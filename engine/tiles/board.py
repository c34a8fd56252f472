"""Board of laid tiles: the placements that fit, and the reasons why others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.fault import Fault
from engine.geometry import (
    EDGE_NAMES,
    EDGES,
    OPPOSITE,
    ROTS,
    STEPS,
    Cell,
    Corner,
    Edge,
    neighbour,
    turned_edge,
)
from engine.pack import Design, Pack, Tile
from engine.tiles.foreign import ANY
from engine.tiles.pieces import PieceKind, Pose

Kinds = tuple[str, str, str, str]
"""Landscapes on the edges n, e, s, w."""
Need = tuple[str | None, str | None, str | None, str | None]
"""Landscapes that the neighbours of an empty cell ask of its edges n, e, s, w; None without a neighbour."""
NOTHING: Need = (None, None, None, None)
"""Need of a cell without neighbours."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A face on the board, turned clockwise by ``rot``."""

    design: Design
    rot: int

    @property
    def kinds(self) -> Kinds:
        """Landscapes on the board's edges n, e, s, w of this tile."""
        return turned_kinds(self.design.tile, self.rot)

    def edge(self, edge: Edge) -> str:
        """Landscape on a board edge of this tile."""
        return self.kinds[EDGES.index(edge)]


class Standing(NamedTuple):
    """One piece on the table.

    A meeple or hut names the ``feature`` of ``cell`` on which it stands, or, on a watering hole, the
    ``corner`` of the animal tile under it. A ranger is white and ``cell`` the empty space it is on.
    A token has no colour: it covers ``corner`` of ``cell``, or lies on ``feature`` as a bonus tile.
    """

    kind: PieceKind
    color: str | None
    cell: Cell
    feature: str | None = None
    corner: Corner | None = None
    animal: str | None = None
    pose: Pose = "standing"


@lru_cache(maxsize=4096)
def turned_kinds(tile: Tile, rot: int) -> Kinds:
    """Landscapes on the board's edges n, e, s, w of a tile turned by ``rot`` degrees."""
    on = {turned_edge(edge, rot): kind for edge, kind in tile.edges.items()}
    return (on["n"], on["e"], on["s"], on["w"])


class Fits(dict[Need, tuple[int, ...]]):
    """The turns with which one tile meets what its neighbours need, worked out when first asked for."""

    def __init__(self, tile: Tile) -> None:
        super().__init__()
        self._kinds = [(rot, turned_kinds(tile, rot)) for rot in ROTS]

    def __missing__(self, need: Need) -> tuple[int, ...]:
        self[need] = rots = tuple(
            rot
            for rot, kinds in self._kinds
            if all(_meets(kind, want) for want, kind in zip(need, kinds, strict=True))
        )
        return rots


@lru_cache(maxsize=1024)
def fits_of(tile: Tile) -> Fits:
    """The table of a tile's fitting turns."""
    return Fits(tile)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Laid tiles, and the empty cells beside them with what each must fit. Never changed: ``lay``
    gives a new one."""

    tiles: Mapping[Cell, Laid]
    spaces: Mapping[Cell, Need]

    @classmethod
    def of(cls, tiles: Mapping[Cell, Laid]) -> Lattice:
        """The lattice of a seen board, whether its edges match or not."""
        lattice = cls({}, {})
        for cell, laid in tiles.items():
            lattice = lattice.lay(cell, laid)
        return lattice

    def lay(self, cell: Cell, laid: Laid) -> Lattice:
        """The lattice with one tile more; legality is asked of ``faults`` first."""
        tiles = {**self.tiles, cell: laid}
        spaces = dict(self.spaces)
        spaces.pop(cell, None)
        x, y = cell
        kinds = laid.kinds
        for i, (dx, dy) in enumerate(STEPS.values()):
            beside = (x + dx, y + dy)
            if beside not in tiles:
                need = list(spaces.get(beside, NOTHING))
                need[(i + 2) % 4] = None if kinds[i] == ANY else kinds[i]
                spaces[beside] = (need[0], need[1], need[2], need[3])
        return Lattice(tiles, spaces)

    def placements(self, design: Design) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) on which the face fits, look-alike turns counted too."""
        fits = fits_of(design.tile)
        return tuple([(cell, rot) for cell, need in self.spaces.items() for rot in fits[need]])

    def fits_anywhere(self, design: Design) -> bool:
        """Whether there is any placement."""
        fits = fits_of(design.tile)
        return any(fits[need] for need in self.spaces.values())

    def faults(self, design: Design, cell: Cell, rot: int) -> tuple[Fault, ...]:
        """Every reason why the face may not be laid there."""
        if cell in self.tiles:
            return (Fault("cell_taken", f"there is a tile at {_at(cell)} already", cell),)
        need = self.spaces.get(cell)
        if need is None:
            return (Fault("not_adjacent", f"{_at(cell)} touches no tile by a side", cell),)
        kinds = turned_kinds(design.tile, rot)
        return tuple(
            _mismatch(cell, edge, kind, want)
            for edge, kind, want in zip(EDGES, kinds, need, strict=True)
            if want is not None and not _meets(kind, want)
        )


def board_faults(pack: Pack, tiles: Mapping[Cell, Laid]) -> tuple[Fault, ...]:
    """Faults of a seen board, whatever the game: edges that do not match (each once, told from its eastern
    or southern tile) and faces that lie more often than the pack has them."""
    faults = []
    for cell, laid in sorted(tiles.items(), key=lambda item: (item[0][1], item[0][0])):
        for edge in ("n", "w"):
            beside = tiles.get(neighbour(cell, edge))
            if beside is not None and not _meets(laid.edge(edge), beside.edge(OPPOSITE[edge])):
                faults.append(_mismatch(cell, edge, laid.edge(edge), beside.edge(OPPOSITE[edge])))
    known = (laid.design.id for laid in tiles.values() if laid.design.id in pack.designs)
    for design_id, number in Counter(known).items():
        count = pack.designs[design_id].count
        if number > count:
            faults.append(Fault("too_many", f"{design_id} lies {number} times, the pack has {count}"))
    return tuple(faults)


def _meets(kind: str, want: str | None) -> bool:
    """Whether an edge may lie beside one, None where nothing lies."""
    return want is None or kind == want or ANY in (kind, want)


def _mismatch(cell: Cell, edge: Edge, kind: str, want: str) -> Fault:
    message = f"the {EDGE_NAMES[edge]} edge at {_at(cell)} is {kind}, but the tile beyond has {want} there"
    return Fault("edge_mismatch", message, cell, edge)


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"
