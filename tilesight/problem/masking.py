"""Pictures of a report: the board and a rim around it; the rest of the picture is painted over."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from tilesight.live.album import Homography, Shot, jpeg_of

RIM = 1.0
"""Rim around the board that stays, in tile sides: a tile that the program missed lies there."""


def board_alone(shot: Shot, cells: Collection[Cell], rim: float = RIM) -> bytes | None:
    """Return a picture as JPEG without metadata, with everything painted over but the board and a rim.

    ``cells`` are those of the board, ``rim`` is in sides of a cell. The size and the board's place stay as
    they are, so that the picture can be recognised again. None if it is not known where the board lies in the
    picture.
    """
    if shot.H_px_from_board is None or not cells:
        return None
    hull = _hull(shot.H_px_from_board, cells, rim)
    if hull is None:
        return None
    kept = np.zeros(shot.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(kept, hull, 255)
    if not kept.any():
        return None
    image = shot.image.copy()
    image[kept == 0] = np.round(cv2.mean(shot.image, kept)[:3])
    return jpeg_of(image, image.shape[1])


def _hull(H_px_from_board: Homography, cells: Collection[Cell], rim: float) -> NDArray[np.int32] | None:
    """Return the hull (n, 1, 2) px of the cells with their rim; None if a part is behind the camera."""
    near, far = -rim, 1 + rim
    corners = [
        (x + u, y + v, 1.0) for x, y in cells for u, v in ((near, near), (far, near), (far, far), (near, far))
    ]
    points = np.array(corners) @ H_px_from_board.T
    if not (points[:, 2] * np.sign(H_px_from_board[2, 2]) > 1e-6).all():
        return None
    pixels = np.clip(points[:, :2] / points[:, 2:], -10_000, 10_000)
    return np.asarray(cv2.convexHull(np.round(pixels).astype(np.int32)), np.int32)
