"""Cell classifier: whether a cell of the lattice is one laid tile; decides between board and table.

A small network looks at the cell as a whole with a rim around it, straightened. A bare bay between
tiles has edges on three sides and a piece may stand in it; a cell of a lattice that is none cuts
tiles in two. Neither is a tile.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from models import load
from vision.geometry.rectify import ImageOrPyramid
from vision.locate.edge_regressor import cut

CELL_PX = 48
SPAN = (-0.35, 1.35)
"""Side of the square that the network sees of a cell, in sides."""

CellsNetwork = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""uint8 (n, 48, 48, 3) straightened cells to the chance (n,) that each is one laid tile."""


def cut_cells(frame_bgr: ImageOrPyramid, quads: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Cells of quads (n, 4, 2) with their rim, straightened: uint8 (n, 48, 48, 3)."""
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    points = np.stack(np.meshgrid(along, along), axis=-1)
    return cut(frame_bgr, quads, points, 1.8 * CELL_PX / (SPAN[1] - SPAN[0]))


def tile_chances(
    frame_bgr: ImageOrPyramid, quads: NDArray[np.float64], network: CellsNetwork
) -> NDArray[np.float64]:
    """The chance (n,) that each of the quads (n, 4, 2) is one laid tile."""
    return np.asarray(network(cut_cells(frame_bgr, quads)), dtype=np.float64).reshape(-1)


def loaded() -> CellsNetwork:
    """The shipped network. Raises models.ModelError where it is missing or damaged."""
    model = load("cells")
    return lambda cells: np.asarray(model(cells)[0], dtype=np.float32)
