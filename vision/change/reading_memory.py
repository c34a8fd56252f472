"""Reading cache: cells that have not changed keep their reading from frame to frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.change.params import PARAMS
from vision.change.small_picture import differs
from vision.observation import BoardPose, CellReading, Quad, mean_sides_px

Reader = Callable[[BoardPose], dict[Cell, CellReading]]
BLOCKS, BLOCK_PX = 4, 6
"""Blocks per side of a cell, pixels per side of a block. Blocks are compared in colour, because an animal
tile may have the grey of the print that it covers."""
CROP_PX = BLOCKS * BLOCK_PX
"""Side of the crop in which a cell is compared, in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    patch: NDArray[np.float32]
    quad: Quad
    reading: CellReading


class ReadingCache:
    """Cache of the last reading and appearance of every cell."""

    def __init__(self) -> None:
        self._known: dict[Cell, _Known] = {}

    def read(self, crops: NDArray[np.uint8], pose: BoardPose, reader: Reader) -> dict[Cell, CellReading]:
        """Return the readings of all cells of ``pose``, of which only those that changed are read again.
        ``reader`` gets a pose with these cells. ``crops`` uint8 (n, CROP_PX, CROP_PX, 3) show the cells now.
        Cells that the pose lacks are forgotten."""
        if not pose.quads:
            self._known = {}
            return {}
        small = crops.reshape(len(crops), BLOCKS, BLOCK_PX, BLOCKS, BLOCK_PX, 3)
        colors = np.asarray(small.mean(axis=(2, 4)), np.float32)
        patches = dict(zip(pose.quads, colors, strict=True))
        changed = [cell for cell, quad in pose.quads.items() if self._changed(cell, quad, patches[cell])]
        fresh = reader(replace(pose, quads={cell: pose.quads[cell] for cell in changed}))
        for cell, reading in fresh.items():
            self._known[cell] = _Known(patches[cell], pose.quads[cell], reading)
        self._known = {cell: self._known[cell] for cell in pose.quads}
        return {cell: known.reading for cell, known in self._known.items()}

    def _changed(self, cell: Cell, quad: Quad, patch: NDArray[np.float32]) -> bool:
        """Whether a cell moved to ``quad``, or its appearance to ``patch``, since its cached reading."""
        known = self._known.get(cell)
        if known is None:
            return True
        if float(np.abs(quad - known.quad).max()) > PARAMS.moved_sides * float(mean_sides_px(quad)):
            return True
        return bool(differs(known.patch, patch, PARAMS.changed_levels).any())
