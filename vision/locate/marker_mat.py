"""Marker mat: finds the table's plane in millimetres by a printed mat.

A mat is assembled from sheets of one size, with markers along its outer rim only. Each marker's number
determines its position on the mat: on the west and north rim by the sheet, on the east and south rim also by
the number of sheets. So mats of up to `MOST_SHEETS` per axis need no configuration, and hidden markers do no
harm.

Frame of reference: millimetres from the mat's north-west corner, x east, y south.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import UNIT_SQUARE, apply_homography
from vision.locate.heatmap import NET_WH, HeatNetwork, look
from vision.locate.params import PARAMS
from vision.observation import Sight

F64 = NDArray[np.float64]

SHEET_MM = (270.0, 190.0)
"""Size of a sheet after trimming; it fits on A4 and on Letter."""
MOST_SHEETS = 4
MARKER_MM = 26.0
RIM_MM = 32.0
"""Distance of the play area from the mat's edge."""
MARKERS_ALONG = (5, 3)
"""Number of markers per sheet on the north or south rim, and on the west or east rim."""
DICTIONARY = cv2.aruco.DICT_ARUCO_MIP_36H12
"""Its 250 patterns of 6 × 6 fields have a Hamming distance of at least 12, so that print is never matched."""
FIELDS = 8
"""Number of fields along a marker's side, black border included."""

LOOK_PX = 1600
"""Longest side, in pixels, of the picture in which markers are searched."""
LEAST_MARKERS = 3
"""Minimum number of markers that agree on a mat."""

_NORTH, _WEST, _SOUTH, _EAST = 0, 20, 32, 112
"""First marker number of each rim: north and west have 4 · 5 and 4 · 3 numbers, south and east 4 times as
many."""


@dataclass(frozen=True, slots=True, eq=False)
class MatMarker:
    """One marker: its number, and its corners on the mat, float64 (4, 2), clockwise from the north-west."""

    number: int
    corners_mm: F64


def markers_of(columns: int, rows: int) -> Iterator[MatMarker]:
    """Yield the markers of a mat of ``columns`` × ``rows`` sheets.
    Raises ValueError unless both are 1 to `MOST_SHEETS`."""
    if not (1 <= columns <= MOST_SHEETS and 1 <= rows <= MOST_SHEETS):
        raise ValueError(f"a mat has 1 to {MOST_SHEETS} sheets each way, not {columns} × {rows}")
    across, down = MARKERS_ALONG
    for number in (
        *range(_NORTH, _NORTH + columns * across),
        *range(_WEST, _WEST + rows * down),
        *range(_SOUTH + (rows - 1) * 20, _SOUTH + (rows - 1) * 20 + columns * across),
        *range(_EAST + (columns - 1) * 12, _EAST + (columns - 1) * 12 + rows * down),
    ):
        yield MatMarker(number, _corners(_middle_mm(number)))


def marker_picture(number: int, px_per_field: int = 24) -> NDArray[np.uint8]:
    """Return the printed picture of a marker, uint8 (n, n) of 0 and 255; n is FIELDS × ``px_per_field``."""
    return np.asarray(cv2.aruco.generateImageMarker(_dictionary(), number, FIELDS * px_per_field), np.uint8)


def play_area_mm(columns: int, rows: int) -> tuple[float, float, float, float]:
    """Return the rectangle inside the markers of a mat of ``columns`` × ``rows`` sheets.
    It is x0, y0, x1, y1 in millimetres."""
    return (RIM_MM, RIM_MM, columns * SHEET_MM[0] - RIM_MM, rows * SHEET_MM[1] - RIM_MM)


def _middle_mm(number: int) -> tuple[float, float]:
    """Return the centre (x, y) of a marker on the mat, in millimetres, by its number (below 160)."""
    wide, tall = SHEET_MM
    inset = RIM_MM / 2
    if number >= _EAST:
        step, rim = divmod(number - _EAST, 12)
        return ((step + 1) * wide - inset, _down_mm(rim))
    if number >= _SOUTH:
        step, rim = divmod(number - _SOUTH, 20)
        return (_along_mm(rim), (step + 1) * tall - inset)
    if number >= _WEST:
        return (inset, _down_mm(number - _WEST))
    return (_along_mm(number - _NORTH), inset)


def _along_mm(place: int) -> float:
    """Return x, in millimetres, of the marker number ``place``, from 0, along the north or south rim."""
    sheet, k = divmod(place, MARKERS_ALONG[0])
    return sheet * SHEET_MM[0] + (k + 0.5) * SHEET_MM[0] / MARKERS_ALONG[0]


def _down_mm(place: int) -> float:
    """Return y, in millimetres, of the marker number ``place``, from 0, along the west or east rim."""
    sheet, k = divmod(place, MARKERS_ALONG[1])
    return sheet * SHEET_MM[1] + (k + 1) * SHEET_MM[1] / (MARKERS_ALONG[1] + 1)


def _corners(middle_mm: tuple[float, float]) -> F64:
    """Return the corners (4, 2), in millimetres, of a marker with that centre."""
    return np.asarray(np.array(middle_mm) + MARKER_MM * (UNIT_SQUARE - 0.5))


@dataclass(frozen=True, slots=True, eq=False)
class MatPlane:
    """A mat in a frame: the homography from millimetres to pixels.

    ``play_mm`` is the area inside the markers (x0, y0, x1, y1), infinite on a side without visible markers.
    ``known_mm`` is that area up to the outermost visible markers.
    """

    H_px_from_mm: F64
    play_mm: tuple[float, float, float, float]
    known_mm: tuple[float, float, float, float]

    def to_mm(self, points_px: NDArray[Any]) -> F64:
        """Map image points (..., 2) in pixels to millimetres of the mat."""
        return apply_homography(np.linalg.inv(self.H_px_from_mm), points_px)

    def to_px(self, points_mm: NDArray[Any]) -> F64:
        """Map points (..., 2) of the mat, in millimetres, to pixels of the image."""
        return apply_homography(self.H_px_from_mm, points_mm)

    def area_px(self, size_wh: tuple[int, int]) -> tuple[float, float, float, float]:
        """The bounding box of ``known_mm`` in an image of that size: x0, y0, x1, y1."""
        low = np.clip(self.to_px(_rectangle(self.known_mm)).min(axis=0), 0, np.array(size_wh) - 64)
        high = np.clip(self.to_px(_rectangle(self.known_mm)).max(axis=0), low + 64, size_wh)
        return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))

    def proposals(self, sight: Sight, network: HeatNetwork) -> tuple[F64, F64]:
        """Propose tiles on the mat: quads (n, 4, 2) in pixels, and their weights.

        The heat map is computed on the rectified mat, where tiles are squares at any camera angle.
        """
        x0, y0, x1, y1 = self.known_mm
        scale = min(NET_WH[0] / (x1 - x0), NET_WH[1] / (y1 - y0))
        size_wh = (max(round(scale * (x1 - x0)), 1), max(round(scale * (y1 - y0)), 1))
        to_above = np.array([[scale, 0, -scale * x0], [0, scale, -scale * y0], [0, 0, 1.0]])
        from_frame = to_above @ np.linalg.inv(self.H_px_from_mm)
        above = cv2.warpPerspective(sight.image, from_frame, size_wh, flags=cv2.INTER_AREA)
        quads, weights = look(Sight(np.asarray(above, np.uint8)), network).proposed
        quads = apply_homography(np.linalg.inv(from_frame), quads)
        fits = self.squares(quads)
        return quads[fits], weights[fits]

    def squares(self, quads_px: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask (n,) of the quads (n, 4, 2) that may be tiles on the mat: square, and inside the markers."""
        quads = self.to_mm(quads_px)
        sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)
        diagonals = np.linalg.norm(quads[:, :2] - quads[:, 2:], axis=2)
        middle = quads.mean(axis=1)
        x0, y0, x1, y1 = self.play_mm
        inside = (middle[:, 0] > x0) & (middle[:, 0] < x1) & (middle[:, 1] > y0) & (middle[:, 1] < y1)
        even = sides.min(axis=1) > PARAMS.even * sides.max(axis=1)
        upright = diagonals.min(axis=1) > PARAMS.even * diagonals.max(axis=1)
        return np.asarray(inside & even & upright)


def find_mat(sight: Sight) -> MatPlane | None:
    """Find the mat in a frame; None if fewer than LEAST_MARKERS markers agree."""
    grey = cv2.cvtColor(sight.image, cv2.COLOR_BGR2GRAY)
    scale = min(1.0, LOOK_PX / max(grey.shape[:2]))
    if scale < 1.0:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    quads, numbers, _ = _detector().detectMarkers(grey)
    if numbers is None:
        return None
    known = [
        (int(number), np.asarray(quad, np.float64).reshape(4, 2))
        for number, quad in zip(np.asarray(numbers, np.int64).reshape(-1), quads, strict=True)
        if number < _EAST + 12 * MOST_SHEETS
    ]
    if len(known) < LEAST_MARKERS:
        return None
    seen_px = (np.concatenate([quad for _, quad in known]) + 0.5) / scale - 0.5
    lies_mm = np.concatenate([_corners(_middle_mm(number)) for number, _ in known])
    # RANSAC errors are measured on the mat, because far markers are small in the picture.
    H, fits = cv2.findHomography(seen_px, lies_mm, cv2.RANSAC, PARAMS.marker_off_mm)
    if H is None:
        return None
    whole: NDArray[np.bool_] = np.all(np.asarray(fits, bool).reshape(-1, 4), axis=1).reshape(-1)
    agreeing = [number for (number, _), fit in zip(known, whole, strict=True) if fit]
    if len(agreeing) < LEAST_MARKERS:
        return None
    keep = np.repeat(whole, 4)
    H, _ = cv2.findHomography(lies_mm[keep], seen_px[keep], 0)
    if H is None or abs(np.linalg.det(H)) < 1e-12:
        return None
    east = [((n - _EAST) // 12 + 1) * SHEET_MM[0] - RIM_MM for n in agreeing if n >= _EAST]
    south = [((n - _SOUTH) // 20 + 1) * SHEET_MM[1] - RIM_MM for n in agreeing if _SOUTH <= n < _EAST]
    reach = np.maximum(lies_mm[keep].max(axis=0), 2 * RIM_MM)
    return MatPlane(
        np.asarray(H, np.float64),
        (RIM_MM, RIM_MM, max(east, default=np.inf), max(south, default=np.inf)),
        (RIM_MM, RIM_MM, max(east, default=float(reach[0])), max(south, default=float(reach[1]))),
    )


def _rectangle(box: tuple[float, float, float, float]) -> F64:
    """The corners (4, 2) of a box x0, y0, x1, y1."""
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    """The cached ArUco dictionary."""
    return cv2.aruco.getPredefinedDictionary(DICTIONARY)


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    """The cached ArUco detector."""
    settings = cv2.aruco.DetectorParameters()
    # One threshold window suffices for printed markers and is three times as fast.
    settings.adaptiveThreshWinSizeMin = settings.adaptiveThreshWinSizeMax = 13
    settings.minMarkerPerimeterRate = 0.02
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    settings.errorCorrectionRate = 0.4
    return cv2.aruco.ArucoDetector(_dictionary(), settings)
