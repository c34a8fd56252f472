"""Tile evidence: log-likelihood of a history's tiles, given the appearance of their cells."""

from __future__ import annotations

import math

import numpy as np

from engine.geometry import Cell
from engine.tiles.foreign import MARK, is_foreign
from tilesight.inference.histories.appearances import Appearances, TileEpoch
from tilesight.inference.histories.look import LEAST_LOG, LogProbs
from tilesight.inference.histories.params import PARAMS


class TileEvidence:
    """Log-likelihoods of tiles in nats, relative to the same tiles left unexplained."""

    def __init__(self, seen: Appearances) -> None:
        self._seen = seen
        self._faces: dict[Cell, tuple[LogProbs, LogProbs]] = {}

    def gain(self, cell: Cell) -> float:
        """Return the gain in nats of explaining the tile at a cell; negative if it is gone, 0 if none."""
        memory = self._seen.cells.get(cell)
        if memory is None or memory.tile is None:
            return 0.0
        bound = PARAMS.tile_bound_nats
        if memory.lies:
            return min(memory.tile.log_tile - PARAMS.bare_nats, bound)
        return -PARAMS.absent_tile_nats

    def overlooked(self, cell: Cell) -> float:
        """Return the cost in nats (positive) of a tile that was laid before others but seen after them.

        It is greater the surer the cell shows a tile.
        """
        memory = self._seen.cells.get(cell)
        log_tile = memory.tile.log_tile if memory is not None and memory.tile is not None else 0.0
        return PARAMS.overlooked_nats + max(log_tile, 0.0)

    def face(self, cell: Cell, design: str, rot: int) -> float:
        """Return the tempered log-probability (nats) of a face at a cell; 0 if no tile was seen there."""
        memory = self._seen.cells.get(cell)
        if memory is None or memory.tile is None:
            return 0.0
        faces = self._tempered(cell, memory.tile)
        if is_foreign(design):
            design, rot = MARK, 0
        row = self._seen.designs.get(design)
        return (
            -PARAMS.face_most_nats if row is None or row >= len(faces) else float(faces[row, rot // 90 % 4])
        )

    def _tempered(self, cell: Cell, tile: TileEpoch) -> LogProbs:
        """Return the tempered log-probabilities (designs, 4) of a cell's faces, allowing for misreading.

        A misreading has ``exp(-face_most_nats)`` of the best face's probability, shared equally among all
        faces.
        """
        known = self._faces.get(cell)
        if known is None or known[0] is not tile.faces:
            logs = tile.faces - tile.faces.max()
            if tile.occupied:  # a piece may hide the difference between similar faces, but not more
                logs = logs + PARAMS.hidden_share * np.minimum(-logs, PARAMS.hidden_most_nats)
            logs = np.where(logs < -PARAMS.face_cut_nats, LEAST_LOG, face_power(tile) * logs)
            # A face that the reading leaves out is as unlikely as a misreading, shared by all of those.
            spread = -PARAMS.face_most_nats - math.log(logs.size)
            logs = np.logaddexp(logs, spread)
            known = self._faces[cell] = (tile.faces, logs - np.logaddexp.reduce(logs, axis=None))
        return known[1]

    def likely_faces(self, cell: Cell) -> list[tuple[str, int]]:
        """Return the faces that a cell may show, likeliest first, as (design, rot).

        The cell must have a tile.
        """
        tile = self._tile(cell)
        names = {row: name for name, row in self._seen.designs.items()}
        near = tile.faces >= tile.faces.max() - PARAMS.face_cut_nats
        found = sorted(zip(*np.nonzero(near), strict=True), key=lambda at: -tile.faces[at])
        return [(names[int(row)], 90 * int(turn)) for row, turn in found]

    def _tile(self, cell: Cell) -> TileEpoch:
        """Return the current tile epoch of a cell, which must have one."""
        tile = self._seen.cells[cell].tile
        assert tile is not None
        return tile

    def looks(self, cell: Cell) -> tuple[int, int]:
        """Return two look numbers: the first that shows the tile at a cell, and the earliest that may have.

        The cell must have a tile.
        """
        tile = self._tile(cell)
        return tile.first, tile.earliest


def face_power(tile: TileEpoch) -> float:
    """Return the exponent that tempers a face reading; the more of the tile is hidden, the smaller."""
    return PARAMS.face_power * min(max(1.0 - 2.4 * (tile.covered - 0.25), 0.2), 1.0)
