"""Rigid tiles: constrains the tiles' corners to squares of one size in one plane.

A tile measured by itself has eight degrees of freedom. If the plane and the size are known from all tiles,
three are left: position and rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import UNIT_SQUARE
from vision.geometry.lattice import Lattice, cell_corners
from vision.geometry.params import PARAMS
from vision.observation import Quad

Corners = NDArray[np.floating]
"""A quad of any precision."""

LEAST_TILES = 3
"""Minimum number of tiles for which the common plane improves on single measurements."""


def plane_of(
    quads: Mapping[Cell, Quad], image_size_wh: tuple[int, int], least_tiles: int = LEAST_TILES
) -> Lattice | None:
    """Fit a lattice to tiles' corners.
    None if there are fewer than ``least_tiles`` or they are degenerate."""
    if len(quads) < least_tiles:
        return None
    corners = np.concatenate(list(quads.values())).astype(np.float64)
    try:
        return Lattice.fit(cell_corners(quads), corners, image_size_wh)
    except ValueError:
        return None


def rigid_quads(
    lattice: Lattice, quads: Mapping[Cell, Corners], sized_by: Mapping[Cell, Corners] | None = None
) -> dict[Cell, Quad]:
    """Replace each quad by the nearest square of the common size (least squares in the plane).

    ``quads`` are (4, 2) image pixels, nw ne se sw of their cells. The common size is the median over
    ``sized_by`` (default: over the quads).
    """
    if not quads:
        return {}
    middles, turned = _laid(lattice, quads)
    size = float(np.median(np.abs(_laid(lattice, sized_by)[1] if sized_by else turned)))
    corners = middles[:, None] + (size * turned / np.abs(turned))[:, None] * _SQUARE[None]
    points = np.stack([corners.real, corners.imag], axis=2).reshape(-1, 2)
    laid = lattice.project(points).reshape(-1, 4, 2).astype(np.float32)
    return dict(zip(quads, laid, strict=True))


def expected_quads(
    cells: Sequence[Cell],
    tiles: Sequence[Cell],
    quads: Mapping[Cell, Corners],
    lattice: Lattice,
) -> NDArray[np.float64]:
    """Predict the quads (n, 4, 2) of ``cells``: the lattice's, shifted like the measured tiles around them.

    ``tiles`` are the cells of ``quads`` that were measured; nearer ones count more, a cell's own does not.
    Hand-laid boards drift locally from the lattice.
    """
    plain = lattice.quads(cells)
    if not tiles or not len(cells):
        return plain
    drift = np.stack([quads[tile] for tile in tiles]).mean(axis=1) - lattice.quads(tiles).mean(axis=1)
    gap = np.abs(np.array(cells)[:, None] - np.array(tiles)[None]).sum(axis=2)
    weight = np.where(gap == 0, 0.0, 1.0 / np.maximum(gap, 1) ** 4.0)
    total = weight.sum(axis=1, keepdims=True)
    shift = np.where(total > 0, weight @ drift / np.maximum(total, 1e-12), 0.0)
    return np.asarray(plain + shift[:, None])


def drawn_to_neighbours(lattice: Lattice, quads: Mapping[Cell, Corners]) -> dict[Cell, Quad]:
    """Move each tile a fraction `to_neighbours` of the way to the position predicted by its neighbours.

    Registration is biased to its start where print is occluded or small, while hand-laid tiles follow their
    neighbours to a few hundredths of a side. Fewer than LEAST_TILES are returned unchanged.
    """
    cells = list(quads)
    if len(cells) < LEAST_TILES:
        return {cell: quad.astype(np.float32) for cell, quad in quads.items()}
    here = np.stack([quads[cell] for cell in cells])
    there = expected_quads(cells, cells, quads, lattice)
    drawn = here + PARAMS.to_neighbours * (there - here).mean(axis=1, keepdims=True)
    return dict(zip(cells, drawn.astype(np.float32), strict=True))


def drawn_to_lattice(lattice: Lattice, quads: Mapping[Cell, Corners]) -> dict[Cell, NDArray[np.float64]]:
    """Regularise tiles that were measured by outlines alone; return their quads.

    They become squares of the common size, moved a fraction `to_lattice` of the way to their cells. Fewer
    than LEAST_TILES are returned unchanged. Seams between plain faces are hardly visible, so single outlines
    are less accurate than the lattice of all; but hand-laid tiles do deviate from the lattice.
    """
    if len(quads) < LEAST_TILES:
        return {cell: quad.astype(np.float64) for cell, quad in quads.items()}
    cells = lattice.quads(quads)
    squares = rigid_quads(lattice, quads)
    return {
        cell: (1.0 - PARAMS.to_lattice) * squares[cell] + PARAMS.to_lattice * own
        for cell, own in zip(quads, cells, strict=True)
    }


_SQUARE = (UNIT_SQUARE - 0.5) @ np.array([1.0, 1.0j])
"""A tile's corners around its middle, as complex numbers."""


def _laid(
    lattice: Lattice, quads: Mapping[Cell, Corners]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return positions of tiles in the plane, as complex numbers.
    They are centres (n,), and factors (n,) of size and rotation."""
    pixels = np.stack(list(quads.values())).astype(np.float64).reshape(-1, 2)
    corners = (lattice.unproject(pixels) @ np.array([1.0, 1.0j])).reshape(-1, 4)
    middles = corners.mean(axis=1)
    factors = (corners - middles[:, None]) @ _SQUARE.conj() / (np.abs(_SQUARE) ** 2).sum()
    return middles, factors
