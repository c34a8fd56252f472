"""Lens correction: undistorts pictures, and maps points back to the original picture.

Only `vision.image.camera_profile` applies it: recognition works on the undistorted picture, observations
refer to the original one. Model: OpenCV's (K, and k1 k2 p1 p2 k3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image.mapping import mapped
from vision.image.params import PARAMS
from vision.observation import Image, Observation

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A calibrated lens.
    Camera matrix ``K`` float64 (3, 3) and distortion ``dist`` (5,) are for pictures of ``size_wh``;
    ``error_px`` is the root mean square reprojection error of the calibration."""

    size_wh: tuple[int, int]
    K: F64
    dist: F64
    error_px: float = 0.0
    _maps: dict[tuple[int, int], Straightener | None] = field(default_factory=dict, repr=False)

    def at(self, size_wh: tuple[int, int]) -> Straightener | None:
        """Return the straightener for pictures of that size, cached; None if their aspect ratio differs."""
        if size_wh not in self._maps:
            self._maps.clear()  # keep one size only: the maps of a 4K picture are large
            self._maps[size_wh] = _straightener(self, size_wh)
        return self._maps[size_wh]


@dataclass(frozen=True, slots=True, eq=False)
class Straightener:
    """A lens at one picture size; ``K_straight`` is the camera matrix of the undistorted picture."""

    K: F64
    dist: F64
    K_straight: F64
    maps: tuple[NDArray[np.int16], NDArray[np.uint16]]

    def straightened(self, image: Image) -> Image:
        """Undistort a picture; its size is unchanged."""
        return np.asarray(cv2.remap(image, self.maps[0], self.maps[1], cv2.INTER_LINEAR), np.uint8)

    def as_seen(self, points_px: NDArray[Any]) -> F64:
        """Map points (..., 2) from the undistorted to the original picture."""
        flat = np.asarray(points_px, np.float64).reshape(-1, 2)
        rays = np.column_stack([flat, np.ones(len(flat))]) @ np.linalg.inv(self.K_straight).T
        seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.K, self.dist)
        return np.asarray(seen, np.float64).reshape(np.shape(points_px))

    def observation_as_seen(self, observation: Observation) -> Observation:
        """Map an observation's corners and points to the original picture; unchanged if it has no pose.
        The lattice's homography stays that of the undistorted picture."""
        return mapped(observation, self.as_seen)


def _straightener(lens: Lens, size_wh: tuple[int, int]) -> Straightener | None:
    """Compute a lens's undistortion maps for one picture size; None for another aspect ratio."""
    wide, tall = size_wh[0] / lens.size_wh[0], size_wh[1] / lens.size_wh[1]
    if abs(wide / tall - 1.0) > PARAMS.same_shape:
        return None
    to_size = np.array([[wide, 0, 0.5 * (wide - 1)], [0, tall, 0.5 * (tall - 1)], [0, 0, 1.0]])
    K = np.asarray(to_size @ lens.K, np.float64)
    # Zoom out so that the midpoints of the picture's sides stay in the picture.
    width, height = size_wh
    rim = np.array([[0, height / 2], [width - 1, height / 2], [width / 2, 0], [width / 2, height - 1]])
    rays = np.asarray(cv2.undistortPoints(rim[:, None], K, lens.dist), np.float64).reshape(-1, 2)
    straight = rays * np.array([K[0, 0], K[1, 1]])
    reach = rim - K[:2, 2]
    zoom = float(
        np.clip((np.abs(reach).max(axis=1) / np.abs(straight).max(axis=1)).min(), PARAMS.least_zoom, 1.0)
    )
    K_straight = K.copy()
    K_straight[0, 0] *= zoom
    K_straight[1, 1] *= zoom
    first, second = cv2.initUndistortRectifyMap(K, lens.dist, None, K_straight, size_wh, cv2.CV_16SC2)
    return Straightener(
        K, lens.dist, K_straight, (np.asarray(first, np.int16), np.asarray(second, np.uint16))
    )
