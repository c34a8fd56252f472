"""Board of laid tiles: the placements that fit, and the reasons why others do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.fault import Fault
from engine.geometry import (
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
from engine.message import Message
from engine.pack import Design, Pack, Tile
from engine.tiles.foreign import ANY
from engine.tiles.pieces import PieceKind, Pose

Kinds = tuple[str, str, str, str]
"""Landscapes on the edges n, e, s, w."""
EdgeNeeds = tuple[str | None, str | None, str | None, str | None]
"""Landscapes that a tile in an empty cell needs on its edges n, e, s, w; None where any landscape fits."""
NOTHING: EdgeNeeds = (None, None, None, None)
"""Needs of a cell without neighbours."""
_EDGES: Mapping[Edge, Message] = {
    "n": Message("north edge"),
    "e": Message("east edge"),
    "s": Message("south edge"),
    "w": Message("west edge"),
}


@dataclass(frozen=True, slots=True)
class Laid:
    """A face laid on the board, rotated clockwise by ``rot`` degrees."""

    design: Design
    rot: int

    @property
    def kinds(self) -> Kinds:
        """Landscapes on the tile's board edges n, e, s, w."""
        return turned_kinds(self.design.tile, self.rot)

    def edge(self, edge: Edge) -> str:
        """Return the landscape on one board edge of the tile."""
        return self.kinds[EDGES.index(edge)]


LaidTiles = Mapping[Cell, Laid]
"""Laid tiles by cell."""


class Standing(NamedTuple):
    """One piece on the table.

    A meeple or hut has the ``feature`` of ``cell`` on which it stands; a meeple on a watering hole has the
    ``corner`` of the animal tile under it instead. A ranger is white and stands on the empty ``cell``.
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
    """Return the landscapes on the board edges n, e, s, w of a tile rotated by ``rot`` degrees."""
    on = {turned_edge(edge, rot): kind for edge, kind in tile.edges.items()}
    return (on["n"], on["e"], on["s"], on["w"])


class RotationTable(dict[EdgeNeeds, tuple[int, ...]]):
    """The rotations in which one tile fits, by edge needs; computed on first access."""

    def __init__(self, tile: Tile) -> None:
        super().__init__()
        self._kinds = [(rot, turned_kinds(tile, rot)) for rot in ROTS]

    def __missing__(self, need: EdgeNeeds) -> tuple[int, ...]:
        self[need] = rots = tuple(
            rot
            for rot, kinds in self._kinds
            if all(_meets(kind, want) for want, kind in zip(need, kinds, strict=True))
        )
        return rots


@lru_cache(maxsize=1024)
def rotation_table(tile: Tile) -> RotationTable:
    """Return the cached `RotationTable` of a tile."""
    return RotationTable(tile)


@dataclass(frozen=True, slots=True)
class TileGrid:
    """Immutable board: ``tiles`` are the laid tiles, ``spaces`` the adjacent empty cells with their needs."""

    tiles: Mapping[Cell, Laid]
    spaces: Mapping[Cell, EdgeNeeds]

    @classmethod
    def of(cls, tiles: Mapping[Cell, Laid]) -> TileGrid:
        """Return the grid of a seen board; its edges need not match."""
        grid = cls({}, {})
        for cell, laid in tiles.items():
            grid = grid.lay(cell, laid)
        return grid

    def lay(self, cell: Cell, laid: Laid) -> TileGrid:
        """Return the grid with one more tile. It is not checked whether the tile fits (`faults`)."""
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
        return TileGrid(tiles, spaces)

    def placements(self, design: Design) -> tuple[tuple[Cell, int], ...]:
        """Return every (cell, rotation) at which the face fits, with all rotations of symmetric tiles."""
        fits = rotation_table(design.tile)
        return tuple([(cell, rot) for cell, need in self.spaces.items() for rot in fits[need]])

    def fits_anywhere(self, design: Design) -> bool:
        """Whether the face has any placement."""
        fits = rotation_table(design.tile)
        return any(fits[need] for need in self.spaces.values())

    def faults(self, design: Design, cell: Cell, rot: int) -> tuple[Fault, ...]:
        """Return the reasons why the face cannot be laid at ``cell`` with rotation ``rot``; () if it can."""
        if cell in self.tiles:
            return (Fault("cell_taken", Message("there is a tile at {cell} already", cell=cell), cell),)
        need = self.spaces.get(cell)
        if need is None:
            return (Fault("not_adjacent", Message("{cell} touches no tile by a side", cell=cell), cell),)
        kinds = turned_kinds(design.tile, rot)
        return tuple(
            _mismatch(cell, edge, kind, want)
            for edge, kind, want in zip(EDGES, kinds, need, strict=True)
            if want is not None and not _meets(kind, want)
        )


def board_faults(pack: Pack, tiles: Mapping[Cell, Laid]) -> tuple[Fault, ...]:
    """Return the faults of a seen board that hold in every game.
    They are edges that do not match (each reported once, for its eastern or southern tile), and more tiles of
    a face than the pack has."""
    faults = []
    for cell, laid in sorted(tiles.items(), key=lambda item: (item[0][1], item[0][0])):
        for edge in ("n", "w"):
            beside = tiles.get(neighbour(cell, edge))
            if beside is not None and not _meets(laid.edge(edge), beside.edge(OPPOSITE[edge])):
                faults.append(_mismatch(cell, edge, laid.edge(edge), beside.edge(OPPOSITE[edge])))
    known = dict[str, list[Cell]]()
    for cell, laid in tiles.items():
        if laid.design.id in pack.designs:
            known.setdefault(laid.design.id, []).append(cell)
    for design_id, cells in known.items():
        number, count = len(cells), pack.designs[design_id].count
        if number > count:
            message = Message(
                "{face} lies {number} times, the box has {count}", face=design_id, number=number, count=count
            )
            faults.append(Fault("too_many", message, cells=tuple(cells)))
    return tuple(faults)


def _meets(kind: str, want: str | None) -> bool:
    """Whether landscape ``kind`` may touch landscape ``want``; None and ANY match everything."""
    return want is None or kind == want or ANY in (kind, want)


def _mismatch(cell: Cell, edge: Edge, kind: str, want: str) -> Fault:
    """Return the fault of an edge of landscape ``kind`` next to one of landscape ``want``."""
    message = Message(
        "the {edge} at {cell} is {kind}, but the tile beyond has {kind_beyond} there",
        edge=_EDGES[edge], cell=cell, kind=kind, kind_beyond=want,
    )  # fmt: skip
    return Fault("edge_mismatch", message, cell, edge, cells=(cell, neighbour(cell, edge)))
