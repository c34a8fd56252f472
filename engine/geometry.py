"""Cells, edges, corners and quarter turns of the square lattice.

A cell is ``(x, y)``, x to the east, y to the **south**. Edges and corners are those of the board, after
rotation; 'own' edges and corners are those of the unrotated tile. ``rot`` is 0, 90, 180 or 270 degrees
clockwise. A point in a tile is ``(u, v)`` in 0..1 from the tile's own north-west corner.
"""

from __future__ import annotations

import math
from typing import Literal

Cell = tuple[int, int]
Point = tuple[float, float]
Edge = Literal["n", "e", "s", "w"]
Corner = Literal["nw", "ne", "se", "sw"]
Vertex = tuple[int, int]
"""A point where four cells meet: ``(x, y)`` is the north-west corner of cell ``(x, y)``."""

EDGES: tuple[Edge, ...] = ("n", "e", "s", "w")
CORNERS: tuple[Corner, ...] = ("nw", "ne", "se", "sw")
ROTS: tuple[int, ...] = (0, 90, 180, 270)


STEPS: dict[Edge, Cell] = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
OPPOSITE: dict[Edge, Edge] = {"n": "s", "e": "w", "s": "n", "w": "e"}
EDGES_AT: dict[Corner, tuple[Edge, Edge]] = {
    "nw": ("n", "w"),
    "ne": ("n", "e"),
    "se": ("s", "e"),
    "sw": ("s", "w"),
}
"""The two edges that meet at a corner."""

_VERTEX_STEP: dict[Corner, Cell] = {"nw": (0, 0), "ne": (1, 0), "se": (1, 1), "sw": (0, 1)}


def turned_edge(edge: Edge, rot: int) -> Edge:
    """Return the board edge of a tile's own ``edge`` when the tile is rotated by ``rot`` degrees."""
    return EDGES[(EDGES.index(edge) + rot // 90) % 4]


def turned_corner(corner: Corner, rot: int) -> Corner:
    """Return the board corner of a tile's own ``corner`` when the tile is rotated by ``rot`` degrees."""
    return CORNERS[(CORNERS.index(corner) + rot // 90) % 4]


def turned_point(point: Point, rot: int) -> Point:
    """Rotate a point ``(u, v)`` of a tile with the tile, by ``rot`` degrees; both in 0..1 from north-west."""
    u, v = point
    for _ in range(rot // 90 % 4):
        u, v = 1.0 - v, u
    return (u, v)


def cell_of(point: Point) -> Cell:
    """Return the cell that contains a board point, given in tile sides."""
    return (math.floor(point[0]), math.floor(point[1]))


def neighbour(cell: Cell, edge: Edge) -> Cell:
    """The adjacent cell across ``edge``."""
    dx, dy = STEPS[edge]
    return (cell[0] + dx, cell[1] + dy)


def ring(cell: Cell) -> tuple[Cell, ...]:
    """The eight cells around ``cell``, diagonals included."""
    x, y = cell
    return (
        (x - 1, y - 1), (x, y - 1), (x + 1, y - 1), (x + 1, y),
        (x + 1, y + 1), (x, y + 1), (x - 1, y + 1), (x - 1, y),
    )  # fmt: skip


def vertex(cell: Cell, corner: Corner) -> Vertex:
    """The lattice point at a corner of a cell."""
    dx, dy = _VERTEX_STEP[corner]
    return (cell[0] + dx, cell[1] + dy)


def corners_at(point: Vertex) -> tuple[tuple[Cell, Corner], ...]:
    """Return the four (cell, corner) pairs that meet at a vertex, clockwise from the north-west cell."""
    x, y = point
    return (((x - 1, y - 1), "se"), ((x, y - 1), "sw"), ((x, y), "nw"), ((x - 1, y), "ne"))
