"""Whether a cell of the lattice is one laid tile: the last word on what is board and what is table.

A small network looks at the cell as a whole with a rim around it, straightened. A bare bay between
tiles has edges on three sides and a ranger may stand in it; a cell of a lattice that is none cuts
tiles in two. Neither is a tile.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.observation import Image
from vision.sides import averaged, map_points, square_to_quads

CELL_PX = 48
SPAN = (-0.35, 1.35)
"""What the network sees of a cell, in sides."""

Network = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""uint8 (n, 48, 48, 3) straightened cells to the chance (n,) that each is one laid tile."""


def cut_cells(frame_bgr: Image, quads: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Cells of quads (n, 4, 2) with their rim, straightened: uint8 (n, 48, 48, 3)."""
    side = float(np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2).mean())
    source, factor = averaged(frame_bgr, side * (SPAN[1] - SPAN[0]) / CELL_PX / 1.8)
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    unit = np.stack(np.meshgrid(along, along), axis=-1).reshape(1, -1, 2)
    where = map_points(square_to_quads(quads), np.repeat(unit, len(quads), axis=0))
    maps = np.clip((where + 0.5) / factor - 0.5, -1e4, 3e4).reshape(-1, CELL_PX, 2).astype(np.float32)
    xs, ys = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
    # remap takes pictures of up to 32767 rows: many cells go in several goes.
    parts = [
        cv2.remap(source, xs[i:end], ys[i:end], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for i, end in ((i, i + 512 * CELL_PX) for i in range(0, len(xs), 512 * CELL_PX))
    ]
    return np.concatenate(parts).astype(np.uint8).reshape(-1, CELL_PX, CELL_PX, 3)


def tile_chances(frame_bgr: Image, quads: NDArray[np.float64], network: Network) -> NDArray[np.float64]:
    """The chance (n,) that each of the quads (n, 4, 2) is one laid tile."""
    return np.asarray(network(cut_cells(frame_bgr, quads)), dtype=np.float64).reshape(-1)
