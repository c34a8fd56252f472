"""Pictures of a report: cut to the board and a rim around it; what else is in the cut is painted over."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from tilesight.live.album import Homography, Shot, jpeg_of
from tilesight.sessions.placed import Place

RIM = 1.0
"""Rim around the board that stays, in tile sides: a tile that the program missed lies there."""
BLOCK_PX = 16
"""The corner of a cut is a multiple of it: blocks of the JPEG stay where they are and lose nothing more."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The part of a picture with the board: a JPEG without metadata, and where the board lies in it.

    ``place`` says where the part lies in the whole picture.
    """

    jpeg: bytes
    H_px_from_board: Homography
    place: Place


def board_alone(shot: Shot, cells: Collection[Cell], rim: float = RIM) -> Cut | None:
    """Return the part of a picture with the board and a rim; what else is in this part is painted over.

    ``cells`` are those of the board, ``rim`` is in sides of a cell. None if it is not known where the board
    lies in the picture.
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
    fill = np.round(cv2.mean(shot.image, kept)[:3])
    x, y, width, height = cv2.boundingRect(kept)
    left, top = x // BLOCK_PX * BLOCK_PX, y // BLOCK_PX * BLOCK_PX
    part = np.s_[top : y + height, left : x + width]
    image = shot.image[part].copy()
    image[kept[part] == 0] = fill
    moved = np.array([[1.0, 0, -left], [0, 1, -top], [0, 0, 1]]) @ shot.H_px_from_board
    size_wh = shot.image.shape[1], shot.image.shape[0]
    b, g, r = (int(value) for value in fill)
    return Cut(jpeg_of(image, image.shape[1]), moved, Place((left, top), size_wh, (b, g, r)))


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
