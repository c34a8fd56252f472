"""Reading cache: cells that have not changed keep their reading from frame to frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.change.params import PARAMS
from vision.change.small_picture import differs
from vision.observation import BoardPose, CellReading, Quad, Sight, mean_sides_px

Reader = Callable[[Sight, BoardPose], dict[Cell, CellReading]]
BLOCKS, BLOCK_PX = 4, 6
"""Blocks per side of a cell, pixels per side of a block. Blocks are compared in colour, because an animal
tile may have the grey of the print that it covers."""


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    patch: NDArray[np.float32]
    quad: Quad
    reading: CellReading


class ReadingCache:
    """Cache of the last reading and appearance of every cell."""

    def __init__(self) -> None:
        self._known: dict[Cell, _Known] = {}

    def read(self, sight: Sight, pose: BoardPose, reader: Reader) -> dict[Cell, CellReading]:
        """The readings of all cells of ``pose``. Only cells that changed are read: ``reader`` gets the sight
        and a pose with these cells."""
        if not pose.quads:
            self._known = {}
            return {}
        patches = dict(zip(pose.quads, _patches(sight, list(pose.quads.values())), strict=True))
        changed = [cell for cell, quad in pose.quads.items() if self._changed(cell, quad, patches[cell])]
        fresh = reader(sight, replace(pose, quads={cell: pose.quads[cell] for cell in changed}))
        for cell, reading in fresh.items():
            self._known[cell] = _Known(patches[cell], pose.quads[cell], reading)
        self._known = {cell: self._known[cell] for cell in pose.quads}
        return {cell: known.reading for cell, known in self._known.items()}

    def _changed(self, cell: Cell, quad: Quad, patch: NDArray[np.float32]) -> bool:
        """Whether a cell moved or looks different since its cached reading."""
        known = self._known.get(cell)
        if known is None:
            return True
        if float(np.abs(quad - known.quad).max()) > PARAMS.moved_sides * float(mean_sides_px(quad)):
            return True
        return bool(differs(known.patch, patch, PARAMS.changed_levels).any())


def _patches(sight: Sight, quads: list[Quad]) -> NDArray[np.float32]:
    """Mean colours (cells, BLOCKS, BLOCKS, 3) of each cell's blocks."""
    crops = sight.crops(np.stack(quads), BLOCKS * BLOCK_PX)
    small = crops.reshape(len(quads), BLOCKS, BLOCK_PX, BLOCKS, BLOCK_PX, 3)
    return np.asarray(small.mean(axis=(2, 4)), np.float32)
