"""Orthographic view of the board from above, and the lean of standing pieces in it.

The view is a rectification of the table plane, so objects above the plane are stretched away from the camera.
The homography also gives the direction and length of this lean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import SQUARE, apply_homography, square_to_quads
from vision.observation import Sight, fitted

F64 = NDArray[np.float64]

CELL_PX = 48
"""Side of a cell in the view, in pixels."""
MARGIN_CELLS = 1.5
"""Margin around the cells, in cells: pieces stand beside tiles and lean outwards."""
HEIGHT_TILES = 16.0 / 45.0
"""Height for which the lean is computed, in tile sides: that of a standing meeple."""


@dataclass(frozen=True, slots=True, eq=False)
class Ortho:
    """View of the board from above.

    ``image`` is uint8 (H, W, 3) BGR; pixel centre (px, py) shows lattice point
    ``origin_xy + ((px, py) + 0.5) / CELL_PX``. ``seen`` is uint8 (H, W), 255 where the photo has it.
    """

    image: NDArray[np.uint8]
    seen: NDArray[np.uint8]
    origin_xy: tuple[float, float]

    def lattice_of(self, points_px: F64) -> F64:
        """Convert pixel positions (n, 2) of the view to lattice units (n, 2)."""
        return np.asarray((points_px + 0.5) / CELL_PX + self.origin_xy, np.float64)


def uv_in_quad(quad: NDArray[np.floating], point_px: F64) -> tuple[float, float]:
    """The position (u, v) of an image point in a tile's quad (4, 2), 0..1 inside."""
    to_unit = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), SQUARE)
    u, v = apply_homography(to_unit, point_px)
    return float(u), float(v)


def px_in_quad(quad: NDArray[np.floating], uv: tuple[float, float]) -> tuple[float, float]:
    """The image point of a position (u, v) in a tile's quad; the inverse of `uv_in_quad`."""
    to_px = cv2.getPerspectiveTransform(SQUARE, np.asarray(quad, np.float32))
    x, y = apply_homography(to_px, np.array(uv))
    return float(x), float(y)


def px_in_quads(quads: F64, shares: F64) -> F64:
    """Return image points (n, m, m, 2) of a grid in quads (n, 4, 2).
    The grid lines are at ``shares`` (m,), 0..1, of the sides; the second axis runs down, the third across."""
    across, down = np.meshgrid(shares, shares)
    grid = np.stack([across.ravel(), down.ravel()], axis=1)
    points = apply_homography(square_to_quads(quads), np.broadcast_to(grid, (len(quads), *grid.shape)))
    return points.reshape(len(quads), len(shares), len(shares), 2)


def ortho_view(sight: Sight, h_px_from_lattice: F64, cells: Iterable[Cell], side_px: float) -> Ortho:
    """Rectify the part of the photo with these cells and a margin.

    ``h_px_from_lattice`` (3, 3) maps lattice units to the photo's pixels. ``side_px`` is the mean tile side
    in the photo; if it is much larger than CELL_PX, the photo is shrunk first to avoid aliasing.
    """
    xs, ys = zip(*cells, strict=True)
    x0, y0 = min(xs) - MARGIN_CELLS, min(ys) - MARGIN_CELLS
    w = round((max(xs) + 1 + MARGIN_CELLS - x0) * CELL_PX)
    h = round((max(ys) + 1 + MARGIN_CELLS - y0) * CELL_PX)
    source, shift = sight.once(fitted, 1.15 * CELL_PX / side_px if side_px > 1.4 * CELL_PX else 1.0)
    to_lattice = np.array(
        [[1 / CELL_PX, 0, x0 + 0.5 / CELL_PX], [0, 1 / CELL_PX, y0 + 0.5 / CELL_PX], [0, 0, 1.0]]
    )
    m = shift @ h_px_from_lattice @ to_lattice
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpPerspective(source, m, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    seen = _shown(source.shape, m, (w, h))
    out[seen == 0] = 0
    return Ortho(np.asarray(out, np.uint8), seen, (x0, y0))


def _shown(source_shape: tuple[int, ...], m: F64, size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a mask, uint8 (h, w), 255 where a pixel of the view lies inside the photograph.

    ``m`` (3, 3) maps the view to the photograph of ``source_shape``. The photograph may extend above the
    horizon of the table plane, so its corners cannot be projected to the plane. Instead, a pixel must satisfy
    five half-plane tests in homogeneous coordinates: in front of the camera, and inside the four sides of the
    photograph.
    """
    w, h = size_wh
    rows, columns = source_shape[:2]
    x, y, depth = m * np.sign(m[2] @ (w / 2, h / 2, 1.0))
    sides = x + 0.5 * depth, (columns - 0.5) * depth - x, y + 0.5 * depth, (rows - 0.5) * depth - y
    # Each test leaves a range of columns in every row.
    down, least, most = np.arange(h), np.zeros(h), np.full(h, w - 1.0)
    for a, b, c in (depth, *sides):
        bound = -(b * down + c) / (a or 1e-12)
        least, most = (least, np.minimum(most, bound)) if a < 0 else (np.maximum(least, bound), most)
    shown = (np.arange(w) >= least[:, None]) & (np.arange(w) <= most[:, None])
    return np.where(shown, np.uint8(255), np.uint8(0))


def likely_focal_px(h_px_from_lattice: F64, image_size_wh: tuple[int, int]) -> float:
    """Estimate the focal length, in pixels, from a square lattice.

    With the principal point in the image centre, the two axes of the lattice must be orthogonal and of equal
    length. A weak prior towards one image width decides for views from straight above.
    """
    w, h = image_size_wh
    longest = float(max(w, h))
    best, cost_best = longest, math.inf
    centre = np.array([[1, 0, -(w - 1) / 2], [0, 1, -(h - 1) / 2], [0, 0, 1.0]]) @ h_px_from_lattice
    for ratio in np.geomspace(0.55, 2.2, 25):
        f = longest * float(ratio)
        a, b = (centre[:, k] / (f, f, 1.0) for k in (0, 1))
        na, nb = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        cost = (float(a @ b) / (na * nb)) ** 2 + math.log(na / nb) ** 2 + 0.003 * math.log(ratio) ** 2
        if cost < cost_best:
            best, cost_best = f, cost
    return best


def lean_at(h_px_from_lattice: F64, image_size_wh: tuple[int, int], lattice_xy: F64) -> F64:
    """Return the lean (..., 2) of standing meeples at points ``lattice_xy`` (..., 2), in lattice units.
    It is the point of the table that a meeple's top covers in the image, minus its foot, clipped to ±1.5."""
    focal_px = likely_focal_px(h_px_from_lattice, image_size_wh)
    return lean_with_focal(h_px_from_lattice, image_size_wh, lattice_xy, focal_px)


def lean_with_focal(
    h_px_from_lattice: F64, image_size_wh: tuple[int, int], lattice_xy: F64, focal_px: float
) -> F64:
    """Return the lean (..., 2) of standing meeples, as `lean_at`, for a known focal length in pixels."""
    w, h = image_size_wh
    k = np.array([[focal_px, 0, (w - 1) / 2], [0, focal_px, (h - 1) / 2], [0, 0, 1.0]])
    m = np.linalg.inv(k) @ h_px_from_lattice
    scale = 2.0 / (float(np.linalg.norm(m[:, 0])) + float(np.linalg.norm(m[:, 1])))
    m = m * (scale if m[2, 2] > 0 else -scale)
    up = -np.cross(m[:, 0], m[:, 1])
    ground = lattice_xy @ m[:, :2].T + m[:, 2]
    top = ground + up * HEIGHT_TILES
    flat = np.asarray(top[..., :2] / np.maximum(top[..., 2:3], 1e-6), np.float64)
    seen = apply_homography(np.asarray(np.linalg.inv(m), np.float64), flat)
    return np.asarray(np.clip(seen - lattice_xy, -1.5, 1.5), np.float64)
