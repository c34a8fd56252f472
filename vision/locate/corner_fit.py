"""Corner fit: measures each tile's own corners, starting from the lattice.

A tile is a rigid square on the table. Its four sides (`vision.locate.cell_networks`) give eight measurements
for four unknowns: position, rotation and size. So an occluded corner or a missed side costs little.
Perspective and lens are those of the lattice, which is refitted to the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import UNIT_SQUARE, apply_homography, square_to_quads
from vision.geometry.lattice import Lattice, cell_corners
from vision.locate.cell_networks import (
    Sides,
    SidesNetwork,
    corners_from_sides,
    read_sides,
    side_points,
)
from vision.locate.params import PARAMS
from vision.observation import Sight

INWARD: NDArray[np.float64] = np.array([[0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """Tiles measured in one image.

    ``quads`` (n, 4, 2) pixels, nw ne se sw; ``present`` (n,) 0..1, mean probability of the four sides;
    ``lattice`` fitted to the quads.
    """

    cells: tuple[Cell, ...]
    quads: NDArray[np.float64]
    present: NDArray[np.float64]
    lattice: Lattice


def outline(
    sight: Sight,
    lattice: Lattice,
    cells: Sequence[Cell],
    network: SidesNetwork,
    start: NDArray[np.float64] | None = None,
    rounds: int = 2,
    keep_lattice: bool = False,
) -> Outlines:
    """Measure the cells' tiles in ``rounds``, starting from the lattice or from quads ``start`` (n, 4, 2).

    The start must be accurate to a fifth of a side; its offset from the lattice is the prior of the position.
    Cells without a tile keep their start. With ``keep_lattice`` the lattice is not refitted, for few tiles of
    a known board; else the first half of the rounds uses free corners, because squares are only square in a
    known plane.
    """
    cells = tuple(cells)
    quads = lattice.quads(cells) if start is None else np.array(start, dtype=np.float64)
    place = _places(quads, cells, lattice)
    present = np.zeros(len(cells))
    size = 0.0
    for number in range(rounds):
        sides = read_sides(sight, quads, network)
        present = _presence(sides)
        sound = present > 0.5
        last = number == rounds - 1
        if number < rounds // 2 and not keep_lattice and not last:
            corners, sure = corners_from_sides(sides)
            seen = apply_homography(square_to_quads(quads), corners)
            quads = np.where(sound[:, None, None], seen, quads)
            lattice = _fitted(lattice, cells, quads, sound, sure**2, sight.size_wh)
            place = np.clip(_places(quads, cells, lattice), -0.4, 0.4)
            quads = _placed(lattice, cells, np.column_stack([place, np.zeros((len(cells), 2))]))
            continue
        local, weights = _seen_points(sides, quads, cells, lattice, sight.size_wh)
        poses = fit_squares(local, weights, place, size)
        if sound.any():
            size = float(np.median(poses[sound, 3]))
            poses = fit_squares(local, weights, place, size)
        poses[~sound] = np.column_stack([place, np.zeros(len(cells)), np.full(len(cells), size)])[~sound]
        quads = _placed(lattice, cells, poses)
        if not keep_lattice and not last:
            weight = np.repeat(present[:, None], 4, axis=1)
            lattice, size = _fitted(lattice, cells, quads, sound, weight, sight.size_wh), 0.0
            place = _places(quads, cells, lattice)
    return Outlines(cells, quads, present, lattice)


def _places(quads: NDArray[np.float64], cells: Sequence[Cell], lattice: Lattice) -> NDArray[np.float64]:
    """Offset (n, 2) of each quad's centre from its cell's, in lattice units."""
    middles = lattice.unproject(quads.mean(axis=1))
    expected = lattice.unproject(lattice.quads(cells).mean(axis=1))
    return np.asarray(middles - expected)


def _placed(lattice: Lattice, cells: Sequence[Cell], poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quads (n, 4, 2), in pixels, of squares with ``poses`` (n, 4) in their cells.
    A pose is the offset x, y in lattice units, the rotation in radians, and the relative growth."""
    flat = _squares(poses) + np.array(cells, dtype=np.float64)[:, None]
    return lattice.project(flat.reshape(-1, 2)).reshape(-1, 4, 2)


def _fitted(
    lattice: Lattice,
    cells: Sequence[Cell],
    quads: NDArray[np.float64],
    sound: NDArray[np.bool_],
    weights: NDArray[np.float64],
    image_size_wh: tuple[int, int],
) -> Lattice:
    """Refit the lattice to the quads of the cells in the mask ``sound``, without corners out of view.
    ``weights`` (n, 4) are those of the corners. The lattice is returned unchanged if none is sound or they
    are degenerate."""
    if not sound.any():
        return lattice
    pixels = quads[sound].reshape(-1, 2)
    inside = (pixels > 2.0).all(axis=1) & (pixels < np.array(image_size_wh) - 3.0).all(axis=1)
    seen = [cell for cell, ok in zip(cells, sound, strict=True) if ok]
    try:
        return Lattice.fit(
            cell_corners(seen), pixels, image_size_wh, weights[sound].reshape(-1) * inside + 1e-6
        )
    except ValueError:
        return lattice


def _presence(sides: Sides) -> NDArray[np.float64]:
    """Mean probability (n,) of the four sides; a gap between tiles may show three or four sides too."""
    return np.asarray(sides.present.mean(axis=1))


def _seen_points(
    sides: Sides,
    quads: NDArray[np.float64],
    cells: Sequence[Cell],
    lattice: Lattice,
    image_size_wh: tuple[int, int],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The measured ends of the sides as points (n, 4, 2, 2) in their cell, and their weights (n, 4, 2)."""
    count = len(quads)
    ends = np.stack([side_points(np.array([[0.0, 0.0]])), side_points(np.array([[1.0, 0.0]]))], axis=1)
    ends = ends.reshape(4, 2, 2)
    unit = ends[None] + sides.offsets[..., None] * INWARD[None, :, None]
    pixels = apply_homography(square_to_quads(quads), unit.reshape(count, 8, 2)).reshape(-1, 2)
    flat = lattice.unproject(pixels).reshape(count, 4, 2, 2)
    local = flat - np.array(cells, dtype=np.float64)[:, None, None]
    inside = (pixels > 2.0).all(axis=1) & (pixels < np.array(image_size_wh) - 3.0).all(axis=1)
    weights = (sides.sure * sides.present[..., None]) ** 2 * inside.reshape(count, 4, 2)
    return local, weights


def fit_squares(
    local: NDArray[np.float64], weights: NDArray[np.float64], place: NDArray[np.float64], size: float
) -> NDArray[np.float64]:
    """Fit squares to side ends ``local`` (n, 4, 2, 2) in cell coordinates, by robust least squares.
    Returns poses (n, 4): offset x, y, rotation in radians, relative growth. ``weights`` (n, 4, 2) are those
    of the ends, ``place`` (n, 2) and ``size`` the prior means of offset and growth."""
    count = len(local)
    corner = UNIT_SQUARE
    inward = np.einsum("nijk,ik->nij", local - corner[None, :, None], INWARD)
    centred = local - 0.5
    swing = np.stack([-centred[..., 1], centred[..., 0]], axis=-1)
    design = np.empty((count, 4, 2, 4))
    design[..., 0] = INWARD[None, :, None, 0]
    design[..., 1] = INWARD[None, :, None, 1]
    design[..., 2] = np.einsum("nijk,ik->nij", swing, INWARD)
    design[..., 3] = -0.5
    rows = design.reshape(count, 8, 4)
    values = inward.reshape(count, 8)
    base = weights.reshape(count, 8) / PARAMS.corner_sd**2
    prior = np.diag([PARAMS.place_sd**-2, PARAMS.place_sd**-2, PARAMS.turn_sd**-2, PARAMS.size_sd**-2])
    pull = np.zeros((count, 4))
    pull[:, :2] = place * PARAMS.place_sd**-2
    pull[:, 3] = size * PARAMS.size_sd**-2
    poses = np.zeros((count, 4))
    robust = np.ones_like(base)
    for _ in range(6):
        w = base * robust
        normal = np.einsum("nri,nr,nrj->nij", rows, w, rows) + prior
        right = np.einsum("nri,nr,nr->ni", rows, w, values) + pull
        poses = np.linalg.solve(normal, right[..., None])[..., 0]
        residual = np.abs(values - np.einsum("nri,ni->nr", rows, poses))
        robust = 1.0 / (1.0 + (residual / (1.5 * PARAMS.corner_sd)) ** 2)
    return poses


def _squares(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners (n, 4, 2), in cell coordinates, of squares with ``poses`` (n, 4) as of `fit_squares`."""
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    rotate = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    scaled = (UNIT_SQUARE - 0.5)[None] * (1.0 + poses[:, 3])[:, None, None]
    turned = np.einsum("nij,nkj->nki", rotate, scaled)
    return np.asarray(turned + 0.5 + poses[:, None, :2])
