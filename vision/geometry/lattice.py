"""Lattice of the board in the image: a homography with a radial lens term, fitted to the tiles' corners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import UNIT_SQUARE, Points, apply_homography, homography
from vision.geometry.params import PARAMS
from vision.observation import BoardPose, Quad

STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))


def cell_quad(pose: BoardPose, cell: Cell) -> Quad:
    """Return the corners (4, 2) of a lattice cell in pixels, float32.
    They are those of the tile's face where the pose has them, else the lattice's."""
    known = pose.quads.get(cell)
    if known is not None:
        return known
    return apply_homography(pose.H_px_from_lattice, cell_corners([cell])).astype(np.float32)


def cell_corners(cells: Iterable[Cell]) -> Points:
    """The cells' corners in lattice units (4·n, 2), nw ne se sw for each cell."""
    origins = np.array(list(cells), dtype=np.float64).reshape(-1, 1, 2)
    return (origins + UNIT_SQUARE[None]).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Map from lattice units to pixels.

    ``H`` is the 3 × 3 homography of an ideal camera; ``k1`` is the radial distortion coefficient for radii
    from ``centre_px`` in units of ``radius_px``.
    """

    H: NDArray[np.float64]
    centre_px: NDArray[np.float64]
    radius_px: float
    k1: float = 0.0

    def project(self, points: Points) -> Points:
        """Map lattice points (n, 2) to pixels (n, 2)."""
        ideal = apply_homography(self.H, points)
        return self._bend(ideal)

    def _bend(self, ideal: Points) -> Points:
        """Apply the radial lens term to pixels of the ideal camera (n, 2)."""
        offset = (ideal - self.centre_px) / self.radius_px
        r2 = (offset * offset).sum(axis=1, keepdims=True)
        # Clipped, so that points far outside the picture do not fold back into it.
        bent = offset * (1.0 + self.k1 * np.minimum(r2, 2.0))
        return np.asarray(self.centre_px + bent * self.radius_px)

    def slopes(self, points: Points) -> tuple[Points, NDArray[np.float64], NDArray[np.float64]]:
        """Map lattice points (n, 2) to pixels, with derivatives.

        Returns pixels (n, 2), their Jacobian (n, 2, 9) by the first eight entries of ``H`` (the ninth is
        fixed) and ``k1``, and their Jacobian (n, 2, 2) by the points.
        """
        x, y = np.asarray(points, dtype=np.float64).T
        ideal = apply_homography(self.H, points)
        depth = self.H[2, 0] * x + self.H[2, 1] * y + self.H[2, 2]
        depth = np.where(np.abs(depth) < 1e-9, 1e-9, depth)
        u, v = ideal.T
        zero = np.zeros_like(x)
        near = np.stack([x, y, np.ones_like(x)]) / depth
        ways = np.array([[*near, zero, zero, zero], [zero, zero, zero, *near]])
        down = -ideal.T[:, None] * near[None, :2]
        by_H = np.concatenate([ways, down], axis=1).transpose(2, 0, 1)
        across = self.H[:2, None, :2] - np.array([u, v])[:, :, None] * self.H[2, None, None, :2]
        by_point = (across / depth[None, :, None]).transpose(1, 0, 2)
        offset = (ideal - self.centre_px) / self.radius_px
        r2 = (offset * offset).sum(axis=1)
        inner = np.minimum(r2, 2.0)
        bend = (1.0 + self.k1 * inner)[:, None, None] * np.eye(2)
        bend = bend + (2.0 * self.k1 * (r2 < 2.0))[:, None, None] * offset[:, :, None] * offset[:, None]
        by_k1 = (offset * inner[:, None] * self.radius_px)[..., None]
        return self._bend(ideal), np.concatenate([bend @ by_H, by_k1], axis=2), bend @ by_point

    def unproject(self, pixels: Points) -> Points:
        """Map pixels (n, 2) to lattice points (n, 2), by fixed-point iteration of the lens term."""
        target = (np.asarray(pixels, dtype=np.float64) - self.centre_px) / self.radius_px
        straight = target.copy()
        for _ in range(6):
            r2 = np.minimum((straight * straight).sum(axis=1, keepdims=True), 2.0)
            straight = target / (1.0 + self.k1 * r2)
        ideal = self.centre_px + straight * self.radius_px
        return apply_homography(np.asarray(np.linalg.inv(self.H), np.float64), ideal)

    def quads(self, cells: Iterable[Cell]) -> NDArray[np.float64]:
        """The cells' corners in pixels, shape (n, 4, 2)."""
        return self.project(cell_corners(cells)).reshape(-1, 4, 2)

    def moved(self, turn: NDArray[np.int64], shift: NDArray[np.int64]) -> Lattice:
        """Return the same lattice in other coordinates: new = ``turn`` (2, 2) · old + ``shift`` (2,)."""
        to_new = np.eye(3)
        to_new[:2, :2] = turn
        to_new[:2, 2] = shift
        return Lattice(self.H @ np.linalg.inv(to_new), self.centre_px, self.radius_px, self.k1)

    @staticmethod
    def fit(
        lattice_points: Points,
        pixels: Points,
        image_size_wh: tuple[int, int],
        weights: NDArray[np.float64] | None = None,
        with_lens: bool = True,
        rounds: int = 6,
    ) -> Lattice:
        """Fit a lattice to point pairs with ``weights`` (n,), robust against a few outliers.

        ``lattice_points`` and ``pixels`` have shape (n, 2), n ≥ 4; each of the ``rounds`` reweights the pairs
        by their residuals. ``with_lens`` also fits the lens term, if there are enough points. Raises
        ValueError if they do not determine a homography.
        """
        if len(lattice_points) < 4:
            raise ValueError("a lattice needs at least four points")
        centre = np.array(image_size_wh, dtype=np.float64) / 2.0
        radius = float(np.linalg.norm(centre))
        base = np.ones(len(pixels)) if weights is None else np.asarray(weights, dtype=np.float64)
        H = homography(lattice_points, pixels, base)
        fitted = Lattice(H, centre, radius)
        k1_free = with_lens and len(pixels) >= 4 * PARAMS.lens_tiles
        for _ in range(rounds):
            error = np.linalg.norm(fitted.project(lattice_points) - pixels, axis=1)
            scale = max(1.5 * float(np.median(error)), 0.5)
            robust = base / (1.0 + (error / (2.0 * scale)) ** 2)
            fitted = _gauss_newton(fitted, lattice_points, pixels, robust, k1_free)
        return fitted


def _gauss_newton(
    start: Lattice,
    lattice_points: Points,
    pixels: Points,
    weights: NDArray[np.float64],
    k1_free: bool,
) -> Lattice:
    """Take one damped Gauss-Newton step over the eight entries of H and, with ``k1_free``, the lens term.
    The point pairs (n, 2) have ``weights`` (n,). ``start`` is returned if the step is degenerate."""
    # Centred on the points' mean, the parameters are nearly decorrelated.
    middle = lattice_points.mean(axis=0)
    to_local = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, 1.0]])
    local = lattice_points - middle
    H_local = start.H @ np.linalg.inv(to_local)
    H_local = H_local / H_local[2, 2]
    params = np.append(H_local.ravel()[:8], start.k1)
    free = 9 if k1_free else 8
    if k1_free:
        bent = Lattice(H_local, start.centre_px, start.radius_px, start.k1)
        now, by_lattice, _ = bent.slopes(local)
        jacobian = by_lattice.reshape(-1, free)
        w = np.repeat(weights, 2)
        normal = jacobian.T @ (jacobian * w[:, None])
        right = jacobian.T @ (w * (pixels - now).ravel())
        # Prior: lenses of phones and webcams distort by about a tenth at the picture's corner.
        strength = float(w.sum()) * (0.01 * start.radius_px) ** 2 * 0.02
        normal[8, 8] += strength
        right[8] -= strength * start.k1
    else:
        normal, right = _unbent_equations(H_local, local, pixels, weights)
    normal[np.diag_indices(free)] *= 1.0 + 1e-9
    try:
        change = np.linalg.solve(normal, right)
    except np.linalg.LinAlgError:
        return start
    params[:free] += change
    params[8] = np.clip(params[8], -0.25, 0.25)
    H = np.append(params[:8], 1.0).reshape(3, 3) @ to_local
    if abs(H[2, 2]) < 1e-12 or not np.isfinite(H).all():
        return start
    return Lattice(H / H[2, 2], start.centre_px, start.radius_px, float(params[8]))


def _unbent_equations(
    H: NDArray[np.float64], points: Points, pixels: Points, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the normal matrix (8, 8) and right-hand side (8,) of a step over H without lens term.
    They are the product of the Jacobians of `Lattice.slopes`, expanded for speed, as loose quads are fitted
    hundreds of times. ``points`` and ``pixels`` (n, 2) are the pairs, ``weights`` (n,) theirs."""
    flat = np.concatenate([points, np.ones((len(points), 1))], axis=1).T
    depth = H[2] @ flat
    near = flat / np.where(np.abs(depth) < 1e-9, 1e-9, depth)
    u, v = H[:2] @ near
    weighted = near * weights
    off_u, off_v = pixels[:, 0] - u, pixels[:, 1] - v
    normal = np.zeros((8, 8))
    normal[:3, :3] = normal[3:6, 3:6] = weighted @ near.T
    normal[:3, 6:] = -(weighted * u) @ near[:2].T
    normal[3:6, 6:] = -(weighted * v) @ near[:2].T
    normal[6:, :6] = normal[:6, 6:].T
    normal[6:, 6:] = (weighted[:2] * (u * u + v * v)) @ near[:2].T
    right = np.concatenate([weighted @ off_u, weighted @ off_v, -weighted[:2] @ (u * off_u + v * off_v)])
    return normal, right
