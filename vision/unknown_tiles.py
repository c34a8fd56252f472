"""Unknown tiles: cells with a tile that matches no face of the gallery.

They may be of another set, worn, or overexposed. A logistic model decides between tile and bare table from
the outline, the likeness to known faces, and the colours compared with those of known tiles and bare cells.

A piece may occlude most of a small tile, and the picture's edge may cut off the rest. Pieces stand on tiles,
so the cell of a piece without a tile is read again, with the piece as further evidence: a claimed tile.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.pieces import OUTSIDE
from vision.geometry.rigid import expected_quads, plane_of
from vision.locate.background import CELL_PX, print_likeness
from vision.locate.params import PARAMS as LOCATE
from vision.observation import BoardPose, CellReading, PieceReading, Sight
from vision.pipeline_params import PARAMS
from vision.probability import sigmoid
from vision.tiles.board_reader import BoardReader

Cells = Mapping[Cell, CellReading]
Chances = Mapping[Cell, float]

LIKELIER = 0.5
"""Probability from which an unknown tile is likelier than bare table."""
SUREST = 0.9999
"""Probabilities of outlines are clipped to 1 - SUREST .. SUREST, so that log-odds stay finite."""


def unknown_tiles(sight: Sight, pose: BoardPose, cells: Mapping[Cell, CellReading]) -> dict[Cell, float]:
    """Return the probability of an unknown tile for each cell of the pose that shows no known face."""
    asked = [cell for cell in pose.quads if cell in cells and cells[cell].log_tile <= 0]
    return tile_chances(sight, pose, cells, dict.fromkeys(asked, 0.0))


def tile_chances(
    sight: Sight, pose: BoardPose, cells: Mapping[Cell, CellReading], asked: Mapping[Cell, float]
) -> dict[Cell, float]:
    """Probability of an unknown tile in the cells ``asked``, each of which has a reading in ``cells``.

    ``asked`` maps cells to the probability of a piece on them, which is evidence for a tile.
    """
    if not asked:
        return {}
    names, piece = list(asked), np.array(list(asked.values()))
    chance = np.clip([pose.occupied.get(cell, 0.0) for cell in names], 1.0 - SUREST, SUREST)
    face = np.array([min(cells[cell].log_tile, 0.0) for cell in names])
    evidence = (
        PARAMS.unknown_nats
        + PARAMS.unknown_outline * np.log(chance / (1.0 - chance))
        + PARAMS.unknown_face * np.maximum(face, PARAMS.unlike_nats)
        + PARAMS.unknown_print * _likeness(sight, pose, cells, names)
        + np.log(1.0 - piece + piece * np.exp(PARAMS.unknown_piece))
    )
    return dict(zip(names, sigmoid(evidence).tolist(), strict=True))


def _likeness(
    sight: Sight, pose: BoardPose, cells: Mapping[Cell, CellReading], asked: list[Cell]
) -> np.ndarray:
    """Return log-odds (n,) per pixel that each cell of ``asked`` has the colours of known tiles.
    They are against the colours of bare table; 0 if too few of either are known."""
    known = {c: np.asarray(r.corners_px) for c, r in cells.items() if r.log_tile > 0 and c not in asked}
    lattice = plane_of(known, pose.image_size_wh)
    bare = [c for c, chance in pose.occupied.items() if chance <= LOCATE.bare and c not in cells]
    if lattice is None or not bare:
        return np.zeros(len(asked))
    table = expected_quads(bare, list(known), known, lattice)
    inside = ((table >= 0) & (table < np.array(sight.size_wh))).all(axis=(1, 2))
    quads = [cells[cell].corners_px for cell in asked], list(known.values()), table[inside]
    counts = [len(asked), len(known), int(inside.sum())]
    kind = np.repeat([0, 1, 2], counts)
    where = np.concatenate([np.asarray(part, np.float64).reshape(-1, 4, 2) for part in quads])
    return print_likeness(sight.crops(where, CELL_PX), kind == 1, kind == 2)[: len(asked)]


def claimed_tiles(
    sight: Sight,
    pose: BoardPose,
    cells: Cells,
    unknown: Chances,
    pieces: Sequence[PieceReading],
    reader: BoardReader,
) -> tuple[BoardPose, Cells, Chances]:
    """Return a board with the tiles under pieces added: its pose, cells and unknown tiles.

    ``pieces`` are those on and beside the board. A claimed cell, that of a piece without a tile, is read by
    ``reader`` and added if it is likelier a tile than table. It is adjacent to the board or to another
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
    """Read the cells ``asked`` at the places expected from the tiles around them.
    Empty if too few tiles are known."""
    known = {cell: reading.corners_px for cell, reading in cells.items() if reading.log_tile > 0}
    lattice = plane_of(known, pose.image_size_wh)
    if lattice is None:
        return {}
    expected = expected_quads(asked, list(known), known, lattice).astype(np.float32)
    return reader.look_at(sight, replace(pose, quads=dict(zip(asked, expected, strict=True))))
