"""Homographies: application, closed form from the unit square to quads, fit to point pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Shape (n, 2)."""

UNIT_SQUARE: Points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
"""A cell's corners nw, ne, se, sw relative to its north-west corner, in lattice units."""
SQUARE: NDArray[np.float32] = UNIT_SQUARE.astype(np.float32)
"""The same corners for OpenCV."""


def apply_homography(H: NDArray[Any], points: NDArray[Any]) -> NDArray[np.float64]:
    """Map points (..., 2) by ``H`` (3, 3), or points (n, m, 2) by ``H`` (n, 3, 3), each set by its own."""
    H, points = np.asarray(H, np.float64), np.asarray(points, np.float64)
    shift = H[:, 2] if H.ndim == 2 else H[:, None, :, 2]
    mapped = points @ np.swapaxes(H[..., :2], -1, -2) + shift
    depth = mapped[..., 2:]
    return np.asarray(mapped[..., :2] / np.where(np.abs(depth) < 1e-9, 1e-9, depth))


def square_to_quads(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Homographies (n, 3, 3) from the unit square (nw ne se sw) to quads (n, 4, 2), closed form."""
    p0, p1, p2, p3 = (quads[:, i] for i in range(4))
    d1, d2, d3 = p1 - p2, p3 - p2, p0 - p1 + p2 - p3
    det = d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1]
    det = np.where(np.abs(det) < 1e-9, 1e-9, det)
    g = (d3[:, 0] * d2[:, 1] - d2[:, 0] * d3[:, 1]) / det
    h = (d1[:, 0] * d3[:, 1] - d3[:, 0] * d1[:, 1]) / det
    H = np.empty((len(quads), 3, 3))
    H[:, :2, 0] = p1 - p0 + g[:, None] * p1
    H[:, :2, 1] = p3 - p0 + h[:, None] * p3
    H[:, :2, 2] = p0
    H[:, 2, 0], H[:, 2, 1], H[:, 2, 2] = g, h, 1.0
    return H


def homography(
    source: Points, target: Points, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Fit a homography (3, 3) from ``source`` (n, 2) to ``target`` (n, 2) by normalised DLT.
    It is a least squares fit with ``weights`` (n,), scaled so that H[2, 2] is 1. Raises ValueError for
    degenerate points."""
    source_unit, to_source = _normalised(np.asarray(source, dtype=np.float64))
    target_unit, to_target = _normalised(np.asarray(target, dtype=np.float64))
    w = np.ones(len(source)) if weights is None else np.sqrt(np.maximum(weights, 0.0))
    x, y = source_unit.T
    u, v = target_unit.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    rows_u = np.stack([x, y, one, zero, zero, zero, -u * x, -u * y, -u], axis=1)
    rows_v = np.stack([zero, zero, zero, x, y, one, -v * x, -v * y, -v], axis=1)
    system = np.concatenate([rows_u * w[:, None], rows_v * w[:, None]])
    _, values, basis = np.linalg.svd(system, full_matrices=len(system) < 9)
    if len(values) < 8 or values[7] < 1e-9 * max(values[0], 1e-12):
        raise ValueError("these points do not fix a homography")
    H = np.linalg.inv(to_target) @ basis[-1].reshape(3, 3) @ to_source
    if abs(H[2, 2]) < 1e-12:
        raise ValueError("these points do not fix a homography")
    return np.asarray(H / H[2, 2], dtype=np.float64)


def _normalised(points: Points) -> tuple[Points, NDArray[np.float64]]:
    """Return points, centred and scaled to mean distance √2, and the transformation (3, 3) that did it."""
    mean = points.mean(axis=0)
    spread = max(float(np.sqrt(((points - mean) ** 2).sum(axis=1).mean())), 1e-9)
    scale = np.sqrt(2.0) / spread
    transform = np.array([[scale, 0, -mean[0] * scale], [0, scale, -mean[1] * scale], [0, 0, 1.0]])
    return (points - mean) * scale, transform
