"""Cell classifier: the probability that a cell of the lattice holds exactly one laid tile.

A small network classifies the rectified cell with a margin. Negatives include bare gaps between tiles, which
have edges on three sides, and cells of a wrong lattice that cut tiles in two.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vision.locate.edge_regressor import cut
from vision.observation import Sight

CELL_PX = 48
SPAN = (-0.35, 1.35)
"""Extent of the network's crop along each axis, in sides; the cell is 0..1."""

CellsNetwork = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Maps rectified cells uint8 (n, 48, 48, 3) to the probability (n,) that each is one laid tile."""


def cut_cells(sight: Sight, quads: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Rectify the cells at quads (n, 4, 2) with their margin: uint8 (n, 48, 48, 3)."""
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    points = np.stack(np.meshgrid(along, along), axis=-1)
    return cut(sight, quads, points, 1.8 * CELL_PX / (SPAN[1] - SPAN[0]))


def tile_chances(sight: Sight, quads: NDArray[np.float64], network: CellsNetwork) -> NDArray[np.float64]:
    """The probability (n,) that each of the quads (n, 4, 2) is one laid tile."""
    return np.asarray(network(cut_cells(sight, quads)), dtype=np.float64).reshape(-1)
