"""Tiles are rigid squares of one size that lie in one plane: what that says about their corners.

A tile measured by itself is a free quadrilateral of eight numbers. Once the plane is known from all tiles
together, only three of them are its own: where its middle lies and how it is turned.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.lattice import UNIT_SQUARE, Lattice, cell_corners
from vision.observation import Quad

LEAST_TILES = 3
"""Fewer tiles do not fix a plane better than each measures itself."""


def plane_of(
    quads: Mapping[Cell, Quad], image_size_wh: tuple[int, int], least_tiles: int = LEAST_TILES
) -> Lattice | None:
    """The lattice through tiles' corners; None where they are too few or do not fix one."""
    if len(quads) < least_tiles:
        return None
    corners = np.concatenate(list(quads.values())).astype(np.float64)
    try:
        return Lattice.fit(cell_corners(quads), corners, image_size_wh)
    except ValueError:
        return None


def rigid_quads(
    lattice: Lattice, quads: Mapping[Cell, Quad], sized_by: Mapping[Cell, Quad] | None = None
) -> dict[Cell, Quad]:
    """Each quad's nearest square of the one size that all tiles have (least squares in the plane).

    ``quads`` are (4, 2) image pixels, nw ne se sw of their cells. The size is the median of the tiles of
    ``sized_by`` (of the quads themselves, where none are given).
    """
    if not quads:
        return {}
    middles, turned = _laid(lattice, quads)
    size = float(np.median(np.abs(_laid(lattice, sized_by)[1] if sized_by else turned)))
    corners = middles[:, None] + (size * turned / np.abs(turned))[:, None] * _SQUARE[None]
    points = np.stack([corners.real, corners.imag], axis=2).reshape(-1, 2)
    laid = lattice.project(points).reshape(-1, 4, 2).astype(np.float32)
    return dict(zip(quads, laid, strict=True))


_SQUARE = (UNIT_SQUARE - 0.5) @ np.array([1.0, 1.0j])
"""A tile's corners around its middle, as complex numbers."""


def _laid(
    lattice: Lattice, quads: Mapping[Cell, Quad]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Where tiles lie in the plane: middles (n,), and size and turn (n,) as one complex factor."""
    pixels = np.stack(list(quads.values())).astype(np.float64).reshape(-1, 2)
    corners = (lattice.unproject(pixels) @ np.array([1.0, 1.0j])).reshape(-1, 4)
    middles = corners.mean(axis=1)
    factors = (corners - middles[:, None]) @ _SQUARE.conj() / (np.abs(_SQUARE) ** 2).sum()
    return middles, factors
