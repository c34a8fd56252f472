"""Motion since the last frame: changed blocks of the board, a cheap measure taken before reading."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.observation import BoardPose, Image

LOOK_WIDTH_PX = 320
CHANGED_LEVELS = 14.0
"""Grey levels by which a pixel must differ after smoothing; a sensor's noise stays well below."""


class MotionGauge:
    """Compares each frame with the one before, in a small grey picture."""

    def __init__(self) -> None:
        self._before: NDArray[np.float32] | None = None

    def share_changed(self, image: Image, pose: BoardPose | None) -> float:
        """The share, 0..1, of the board's area (of the picture where no board is known) that
        changed since the last call; 1 for the first frame or a new picture size.

        A change of the whole picture's brightness (a cloud, a camera's own exposure) is taken out
        first.
        """
        scale = LOOK_WIDTH_PX / image.shape[1]
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).reshape(small.shape[:2])
        soft = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.2)
        now = np.asarray(soft, np.float32).reshape(grey.shape)
        before, self._before = self._before, now
        if before is None or before.shape != now.shape:
            return 1.0
        gain = float(np.median(now)) / max(float(np.median(before)), 1.0)
        changed = np.abs(now - before * gain) > CHANGED_LEVELS
        region = self._board_mask(pose, now.shape, scale)
        return float(changed[region].mean()) if region.any() else float(changed.mean())

    @staticmethod
    def _board_mask(pose: BoardPose | None, shape: tuple[int, ...], scale: float) -> NDArray[np.bool_]:
        """The board with half a tile around it: where the next tile comes to lie."""
        mask = np.zeros(shape[:2], np.uint8)
        if pose is None or not pose.quads:
            return mask.astype(bool)
        corners = np.concatenate(list(pose.quads.values())) * scale
        hull = cv2.convexHull(corners.astype(np.float32)).reshape(-1, 2)
        middle = hull.mean(axis=0)
        reach = max(float(np.linalg.norm(hull - middle, axis=1).max()), 1.0)
        grown = middle + (hull - middle) * (1 + 0.5 * pose.tile_side_px * scale / reach)
        cv2.fillConvexPoly(mask, np.round(grown).astype(np.int32).reshape(-1, 1, 2), 1)
        return mask.astype(bool)
