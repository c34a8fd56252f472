"""Bundle adjustment: fits the plane in which all tiles are squares of one size.

A lattice fitted to corners (`vision.geometry.lattice`) assumes that tiles lie exactly in their cells. Shear
and gaps of hand-laid rows are then mistaken for perspective, and tiles appear as rhombs. Here each tile has
its own position and rotation, so that the plane is determined by the tiles' shape alone. The tiles' poses are
eliminated by the Schur complement (Triggs et al., 'Bundle adjustment', 1999), which leaves ten equations.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import UNIT_SQUARE
from vision.geometry.lattice import Lattice
from vision.locate.params import PARAMS
from vision.observation import Quad, mean_sides_px

F64 = NDArray[np.float64]

ROUNDS = 5
"""Number of Gauss-Newton steps."""


def levelled(lattice: Lattice, quads: Mapping[Cell, Quad]) -> Lattice:
    """Adjust a lattice so that the tiles are squares of one size in it.

    ``quads`` are (4, 2) image pixels, nw ne se sw of their cells; a few outliers are tolerated. ``lattice``
    is the start, and is returned unchanged if the system is degenerate.
    """
    pixels = np.stack(list(quads.values())).astype(np.float64)
    count = len(pixels)
    believed = np.diag([0.0] * 8 + [PARAMS.lens_sd**-2, PARAMS.tile_size_sd**-2])
    laid = np.diag([PARAMS.place_sd**-2, PARAMS.place_sd**-2, PARAMS.turn_sd**-2])
    sides = mean_sides_px(pixels)
    sd = PARAMS.corner_sd * sides[:, None, None]
    # Centred on the tiles' mean, the plane's parameters are nearly decorrelated.
    cells = np.array(list(quads), np.float64) + 0.5
    origin = cells.mean(axis=0)
    to_origin = np.array([[1, 0, origin[0]], [0, 1, origin[1]], [0, 0, 1.0]])
    H = lattice.H @ to_origin
    start = np.append((H / H[2, 2]).ravel()[:8], [lattice.k1, PARAMS.tile_size])
    plane, poses = start.copy(), np.zeros((count, 3))
    for _ in range(ROUNDS):
        bent = _lattice(lattice, plane)
        corners, by_turn, by_size = _squares(cells - origin, poses, float(plane[9]))
        now, by_lattice, by_point = bent.slopes(corners.reshape(-1, 2))
        by_point = by_point.reshape(count, 4, 2, 2)
        residual = ((pixels - now.reshape(count, 4, 2)) / sd).reshape(count, 8)
        turning, growing = (by_point @ way[..., None] for way in (by_turn, by_size))
        of_pose = (np.concatenate([by_point, turning], axis=3) / sd[..., None]).reshape(count, 8, 3)
        of_plane = np.concatenate([by_lattice.reshape(count, 4, 2, 9), growing], axis=3)
        of_plane = (of_plane / sd[..., None]).reshape(count, 8, 10)
        off = np.sqrt((residual**2).mean(axis=1))
        trust = 1.0 / (1.0 + (off / (2.0 * max(float(np.median(off)), 0.5))) ** 2)
        weighted = (of_pose * trust[:, None, None]).transpose(0, 2, 1)
        own = weighted @ of_pose + laid
        both = weighted @ of_plane
        pull = (weighted @ residual[..., None])[..., 0] - poses @ laid
        solved = np.linalg.solve(own, np.concatenate([both, pull[..., None]], axis=2))
        heavy = (of_plane * trust[:, None, None]).reshape(-1, 10).T
        eliminated = both.reshape(-1, 10).T @ solved.reshape(-1, 11)
        normal = heavy @ of_plane.reshape(-1, 10) + believed - eliminated[:, :10]
        right = heavy @ residual.ravel() + believed @ (start - plane) - eliminated[:, 10]
        scale = np.sqrt(np.maximum(np.diag(normal), 1e-12))
        try:
            change = np.linalg.solve(normal / np.outer(scale, scale) + 1e-9 * np.eye(10), right / scale)
        except np.linalg.LinAlgError:
            return lattice
        plane = plane + change / scale
        poses = poses + solved[..., 10] - solved[..., :10] @ (change / scale)
    bent = _lattice(lattice, plane)
    H = bent.H @ np.linalg.inv(to_origin)
    if abs(H[2, 2]) < 1e-12 or not np.isfinite(H).all():
        return lattice
    return Lattice(H / H[2, 2], bent.centre_px, bent.radius_px, bent.k1)


def _lattice(like: Lattice, plane: F64) -> Lattice:
    """Return a lattice with parameters ``plane`` (10,), image centre and radius as of ``like``.
    The parameters are eight of the homography, the lens term, and the tiles' size, which is not used."""
    return Lattice(np.append(plane[:8], 1.0).reshape(3, 3), like.centre_px, like.radius_px, float(plane[8]))


def _squares(middles: F64, poses: F64, size: float) -> tuple[F64, F64, F64]:
    """Return corners (n, 4, 2) of squares, and their derivatives (n, 4, 2) by rotation and by size.
    ``middles`` (n, 2) are their cells' centres, ``poses`` (n, 3) offset and rotation, ``size`` their side, in
    the plane's units."""
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    rotate = np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1)
    by_size = np.einsum("nij,kj->nki", rotate, UNIT_SQUARE - 0.5)
    by_turn = size * np.stack([-by_size[..., 1], by_size[..., 0]], axis=2)
    return size * by_size + (middles + poses[:, :2])[:, None], by_turn, by_size
