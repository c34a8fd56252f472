"""Claimed tiles: cells in which a tile is only detected because a piece stands there.

A piece may occlude most of a small tile, and the picture's edge may cut off the rest. Pieces stand on tiles,
so the cell of a piece without a tile is read again, with the piece as further evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.pieces import OUTSIDE
from vision.geometry.rigid import expected_quads, plane_of
from vision.observation import BoardPose, CellReading, PieceReading, Sight
from vision.tiles.board_reader import BoardReader
from vision.unknown_tiles import LIKELIER, tile_chances

Cells = Mapping[Cell, CellReading]
Chances = Mapping[Cell, float]


def claimed_tiles(
    sight: Sight,
    pose: BoardPose,
    cells: Cells,
    unknown: Chances,
    pieces: Sequence[PieceReading],
    reader: BoardReader,
) -> tuple[BoardPose, Cells, Chances]:
    """Add the tiles under pieces to a board: its updated pose, cells and unknown tiles.

    ``pieces`` are those on and beside the board. A claimed cell is adjacent to the board or to another
    claimed cell.
    """
    tiles = {cell for cell, reading in cells.items() if reading.log_tile > 0}
    tiles |= {cell for cell, chance in unknown.items() if chance > LIKELIER}
    carrying: dict[Cell, float] = {}
    for piece in pieces:
        if piece.kind not in OUTSIDE and piece.cell not in tiles:
            carrying[piece.cell] = max(carrying.get(piece.cell, 0.0), piece.confidence)
    while asked := _touching(carrying, tiles):
        looks = _looked_at(sight, pose, cells, asked, reader)
        if not looks:
            break
        read = {**cells, **looks}
        chances = tile_chances(sight, pose, read, {cell: carrying.pop(cell) for cell in asked})
        found = {cell for cell, chance in chances.items() if chance > LIKELIER}
        cells = {**cells, **{cell: looks[cell] for cell in found}}
        unknown = {cell: chance for cell, chance in unknown.items() if cell not in found}
        unknown |= {cell: chances[cell] for cell in found if looks[cell].log_tile <= 0}
        pose = replace(pose, quads={cell: reading.corners_px for cell, reading in cells.items()})
        tiles |= found
    return pose, cells, unknown


def _touching(carrying: Collection[Cell], tiles: Collection[Cell]) -> list[Cell]:
    """The cells of ``carrying`` that are adjacent to one of ``tiles``."""
    return [cell for cell in carrying if any(neighbour(cell, edge) in tiles for edge in EDGES)]


def _looked_at(
    sight: Sight, pose: BoardPose, cells: Cells, asked: Sequence[Cell], reader: BoardReader
) -> dict[Cell, CellReading]:
    """Read cells at the place expected from the tiles around them; empty if too few tiles are known."""
    known = {cell: reading.corners_px for cell, reading in cells.items() if reading.log_tile > 0}
    lattice = plane_of(known, pose.image_size_wh)
    if lattice is None:
        return {}
    expected = expected_quads(asked, list(known), known, lattice).astype(np.float32)
    return reader.look_at(sight, replace(pose, quads=dict(zip(asked, expected, strict=True))))
