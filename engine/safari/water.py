"""Watering holes: up to four animal tiles around one lattice point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.fault import Fault
from engine.geometry import (
    CORNERS,
    EDGES_AT,
    Cell,
    Corner,
    Vertex,
    corners_at,
    turned_corner,
    vertex,
)
from engine.message import Message
from engine.pack import Tile
from engine.tiles.board import Laid
from engine.tiles.features import Composition


@dataclass(frozen=True, slots=True)
class Token:
    """An animal tile on a corner of a laid tile; ``meeple`` is the colour of the meeple on it, if any."""

    cell: Cell
    corner: Corner
    animal: str
    meeple: str | None = None


def composition(hole: tuple[Token, ...], why: Message) -> Composition:
    """Return what a watering hole consists of: its animal tiles, as (cell, corner)."""
    places = tuple((token.cell, str(token.corner)) for token in hole)
    return Composition(why, places, tuple(token.cell for token in hole))


Holes = Mapping[Vertex, tuple[Token, ...]]
_CORNERS: Mapping[Corner, Message] = {
    "nw": Message("north-west"),
    "ne": Message("north-east"),
    "se": Message("south-east"),
    "sw": Message("south-west"),
}


@lru_cache(maxsize=4096)
def open_corners(tile: Tile, rot: int) -> tuple[Corner, ...]:
    """Return the board corners of a tile, rotated by ``rot``, where an animal tile may lie.
    Neither edge at the corner is bush."""
    return tuple(
        turned_corner(corner, rot)
        for corner in CORNERS
        if all(tile.edges[edge] != "bush" for edge in EDGES_AT[corner])
    )


def touching(hole: tuple[Token, ...], cell: Cell) -> bool:
    """Whether an animal tile on ``cell`` would share a side with one of the hole's."""
    x, y = cell
    return any(abs(token.cell[0] - x) + abs(token.cell[1] - y) == 1 for token in hole)


def corner_faults(board: Mapping[Cell, Laid], holes: Holes, cell: Cell, corner: Corner) -> list[Fault]:
    """Return the reasons why no animal tile may be laid on that corner; [] if one may."""
    laid = board.get(cell)
    if laid is None:
        message = Message("there is no tile at {cell}", cell=cell)
        return [Fault("no_tile", message, cell, corner=corner)]
    faults = []
    if corner not in open_corners(laid.design.tile, laid.rot):
        message = Message(
            "the {corner} corner of {cell} has bush beside it", corner=_CORNERS[corner], cell=cell
        )
        faults.append(Fault("corner_not_open", message, cell, corner=corner))
    if any(token.cell == cell for token in holes.get(vertex(cell, corner), ())):
        message = Message(
            "there is an animal tile on the {corner} corner of {cell} already",
            corner=_CORNERS[corner], cell=cell,
        )  # fmt: skip
        faults.append(Fault("corner_taken", message, cell, corner=corner))
    return faults


def free_corners(
    board: Mapping[Cell, Laid], holes: Holes, *, beside: bool
) -> Iterator[tuple[Cell, Corner, tuple[Token, ...]]]:
    """Yield free open corners as (cell, corner, animal tiles around its vertex).
    With ``beside`` those that touch another animal tile (for an expansion), else those that touch none (for a
    dig)."""
    if beside:
        for point, hole in holes.items():
            for cell, corner in corners_at(point):
                laid = board.get(cell)
                if (
                    laid is not None
                    and corner in open_corners(laid.design.tile, laid.rot)
                    and touching(hole, cell)
                    and all(token.cell != cell for token in hole)
                ):
                    yield cell, corner, hole
        return
    for cell, laid in board.items():
        for corner in open_corners(laid.design.tile, laid.rot):
            hole = holes.get(vertex(cell, corner), ())
            if not touching(hole, cell) and all(token.cell != cell for token in hole):
                yield cell, corner, hole
