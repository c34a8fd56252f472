"""Detector of the printed calibration board: a chessboard with markers in its squares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.observation import Image, size_of

BOARD_SQUARES = (11, 7)
SQUARE_MM, MARKER_MM = 24.0, 18.0
"""Sides of a square and of its marker, in mm: the board is 264 × 168 mm and fits on A4 and Letter."""
DICTIONARY = cv2.aruco.DICT_5X5_100
LEAST_CORNERS = 12
"""Minimum number of visible corners of a usable view."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board's inner corners in one picture: ``corners_px`` float32 (n, 2).
    ``lies_mm`` float32 (n, 3) (z 0) are their positions on the board, ``size_wh`` is the picture's size."""

    corners_px: NDArray[np.float32]
    lies_mm: NDArray[np.float32]
    size_wh: tuple[int, int]


def find_board(image_bgr: Image) -> BoardView | None:
    """Detect the board in a picture; None if fewer than `LEAST_CORNERS` corners are visible."""
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    corners, numbers, _, _ = _detector().detectBoard(grey)
    if numbers is None or corners is None or len(numbers) < LEAST_CORNERS:
        return None
    places = np.asarray(_board().getChessboardCorners(), np.float32).reshape(-1, 3)
    return BoardView(
        np.asarray(corners, np.float32).reshape(-1, 2),
        places[np.asarray(numbers).ravel()],
        size_of(image_bgr),
    )


def board_picture(px_per_mm: float = 20.0 / 3.0) -> NDArray[np.uint8]:
    """Return the picture of the board for printing, uint8 grey (h, w), at ``px_per_mm``."""
    size = (round(BOARD_SQUARES[0] * SQUARE_MM * px_per_mm), round(BOARD_SQUARES[1] * SQUARE_MM * px_per_mm))
    return np.asarray(_board().generateImage(size), np.uint8)


@cache
def _board() -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return cv2.aruco.CharucoBoard(BOARD_SQUARES, SQUARE_MM, MARKER_MM, dictionary)


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(_board())
