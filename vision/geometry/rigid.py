"""Rigid tiles: what squares of one size in one plane imply for the corners of each.

A tile measured by itself is a free quadrilateral of eight numbers. Once the plane is known from all tiles
together, only three of them are its own: where its middle lies and how it is turned.
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
"""Number of tiles that fix a plane better than each measures itself."""


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
    lattice: Lattice, quads: Mapping[Cell, Corners], sized_by: Mapping[Cell, Corners] | None = None
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


def expected_quads(
    cells: Sequence[Cell],
    tiles: Sequence[Cell],
    quads: Mapping[Cell, Corners],
    lattice: Lattice,
) -> NDArray[np.float64]:
    """Places of the cells' quads (n, 4, 2) if they lie to the tiles beside them as the lattice says.

    Boards drift: the nearest tiles say more than the lattice as a whole.
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
    """Tiles as they lie, each moved a little towards where the tiles around it say that it should lie.

    Print that pieces hide, or that is small in the picture, leaves a tile somewhat where it was believed;
    hands lay it beside its neighbours to a few hundredths.
    """
    cells = list(quads)
    if len(cells) < LEAST_TILES:
        return {cell: quad.astype(np.float32) for cell, quad in quads.items()}
    here = np.stack([quads[cell] for cell in cells])
    there = expected_quads(cells, cells, quads, lattice)
    drawn = here + PARAMS.to_neighbours * (there - here).mean(axis=1, keepdims=True)
    return dict(zip(cells, drawn.astype(np.float32), strict=True))


def drawn_to_lattice(lattice: Lattice, quads: Mapping[Cell, Corners]) -> dict[Cell, NDArray[np.float64]]:
    """Tiles measured by their outlines alone, each a square of the common size and drawn towards its cell.

    Seams between plain faces hardly show, and what one outline misses by, the lattice of all does not; but
    hands do lay tiles askew, so the truth lies between (`to_lattice`). Too few tiles come back as they are.
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
    """Places of tiles in the plane: middles (n,), and size and turn (n,) as one complex factor."""
    pixels = np.stack(list(quads.values())).astype(np.float64).reshape(-1, 2)
    corners = (lattice.unproject(pixels) @ np.array([1.0, 1.0j])).reshape(-1, 4)
    middles = corners.mean(axis=1)
    factors = (corners - middles[:, None]) @ _SQUARE.conj() / (np.abs(_SQUARE) ** 2).sum()
    return middles, factors
