"""A camera with a bent lens that looks at the printed board, or at anything flat."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.charuco import BOARD_SQUARES, SQUARE_MM, board_picture

BOARD_MM = np.array([BOARD_SQUARES[0] * SQUARE_MM, BOARD_SQUARES[1] * SQUARE_MM])


@dataclass(frozen=True)
class BentCamera:
    """OpenCV's model of a lens at one size of picture."""

    size_wh: tuple[int, int] = (1280, 720)
    focal_px: float = 1000.0
    dist: tuple[float, ...] = (-0.24, 0.07, 0.0, 0.0, 0.0)

    @property
    def K(self) -> NDArray[np.float64]:
        w, h = self.size_wh
        return np.array([[self.focal_px, 0, w / 2 + 8], [0, self.focal_px, h / 2 - 5], [0, 0, 1]])

    def bend(self, straight: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A pinhole camera's picture (same K) as this lens shows it."""
        w, h = self.size_wh
        grid = np.stack(np.meshgrid(np.arange(w), np.arange(h)), axis=-1).astype(np.float64)
        where = cv2.undistortPoints(grid.reshape(-1, 1, 2), self.K, np.array(self.dist), None, None, self.K)
        maps = np.asarray(where, np.float32).reshape(h, w, 2)
        bent = cv2.remap(straight, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderValue=(90, 100, 110))
        return np.asarray(bent, np.uint8)

    def bent(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points (n, 2) of a pinhole camera's picture lie in this one's."""
        rays = np.column_stack([points_px, np.ones(len(points_px))]) @ np.linalg.inv(self.K).T
        seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.K, np.array(self.dist))
        return np.asarray(seen, np.float64).reshape(-1, 2)

    def of_board(
        self, turn_deg: tuple[float, float, float], middle_mm: tuple[float, float], away_mm: float
    ) -> NDArray[np.uint8]:
        """The printed board, turned about x, y, z and held with its middle somewhere before the camera."""
        R = np.eye(3)
        for axis, degrees in zip(np.eye(3), turn_deg, strict=True):
            R = cv2.Rodrigues(axis * np.deg2rad(degrees))[0] @ R
        picture = board_picture(4.0)
        h, w = picture.shape
        corners = np.array([[0, 0], BOARD_MM * (1, 0), BOARD_MM, BOARD_MM * (0, 1)]) - BOARD_MM / 2
        placed = np.column_stack([corners, np.zeros(4)]) @ R.T + np.array([*middle_mm, away_mm])
        px = placed @ self.K.T
        px = (px[:, :2] / px[:, 2:]).astype(np.float32)
        H = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), px)
        shown = cv2.warpPerspective(
            cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), H, self.size_wh,
            flags=cv2.INTER_AREA, borderValue=(90, 100, 110),
        )  # fmt: skip
        return self.bend(np.asarray(cv2.GaussianBlur(shown, (0, 0), 0.7), np.uint8))


POSES: dict[str, tuple[tuple[float, float, float], tuple[float, float], float]] = {
    "straight": ((0, 0, 2), (0, 0), 560),
    "close": ((4, 3, 0), (0, 0), 300),
    "left": ((0, 6, 0), (-170, 0), 620),
    "right": ((0, -6, 1), (170, 0), 620),
    "top": ((5, 0, 0), (0, -90), 640),
    "bottom": ((-5, 0, 0), (0, 90), 640),
    "far": ((2, 2, 0), (20, 10), 900),
    "lean left": ((0, -32, 0), (0, 0), 480),
    "lean right": ((0, 32, 0), (0, 0), 480),
    "lean top": ((32, 0, 0), (0, 0), 480),
    "lean bottom": ((-32, 0, 0), (0, 0), 480),
}
"""How the board is held for each view that a calibration wants."""
