"""Fit of a look: how this home's camera and light change the colours of the print."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS
from vision.tiles.gallery import FACE_PX
from vision.tiles.look import Look

Pair = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""A gallery's face and a view of the same design, both uint8 (FACE_PX, FACE_PX, 3) BGR, own north up."""
SAMPLED_PX = 8
"""Distance of the compared points of a face in pixels."""
ROUNDS = 6
"""Number of least-squares fits; each leaves out the points that the one before explained worst."""


def fit_look(pairs: Iterable[Pair]) -> Look | None:
    """Return the affine map of colours from faces to views, float32 (4, 3); None for too few pairs.

    Pictures are blurred before they are compared, because corners of views are never exact. Points under
    pieces and glare are left out as outliers. Colours that the pairs do not show are drawn to the identity.
    """
    seen = list(pairs)
    if len(seen) < PARAMS.look_tiles:
        return None
    scans = np.concatenate([_points(scan) for scan, _ in seen])
    views = np.concatenate([_points(view) for _, view in seen])
    rows = np.hstack([scans, np.ones((len(scans), 1))])
    prior = np.vstack([np.eye(3), np.zeros((1, 3))])
    weight = np.diag([PARAMS.look_prior * 255.0**2] * 3 + [PARAMS.look_prior]) * len(rows)
    use = np.ones(len(rows), np.bool_)
    look = prior
    for _ in range(ROUNDS):
        normal = rows[use].T @ rows[use] + weight
        look = np.linalg.solve(normal, rows[use].T @ views[use] + weight @ prior)
        error = np.linalg.norm(rows @ look - views, axis=1)
        use = error <= PARAMS.look_outlier * np.median(error)
    return np.asarray(look, np.float32)


def _points(face: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return blurred colours (n, 3) of a grid of points of a face, without its rim."""
    blurred = cv2.GaussianBlur(face.astype(np.float32), (0, 0), PARAMS.look_blur_px)
    rim = FACE_PX // 12
    return np.asarray(blurred[rim:-rim:SAMPLED_PX, rim:-rim:SAMPLED_PX].reshape(-1, 3), np.float64)
