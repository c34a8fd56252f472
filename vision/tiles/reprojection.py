"""Reprojection: expected view of a board with known faces from above, and the difference from it.

The gallery's faces are rendered at their tiles, the photograph is relit to their light, and the difference is
taken: the print cancels out, pieces and other objects remain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import SQUARE, apply_homography
from vision.geometry.ortho import CELL_PX, Ortho
from vision.observation import mean_sides_px

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Light = tuple[F32, F32]
"""Light: gain and base (3,), BGR; print appears as ``gain * print + base``."""

# The networks were trained with these constants.
LEVELS = 127.5
"""Grey levels per unit of the returned differences."""
LIGHT_SIDES = 0.45
"""Standard deviation, in tile sides, of the blur of the local light."""
FITS = 24.0
"""Minimum difference, in grey levels summed over colours, that has weight one half when light is measured."""
DARKEST = 0.15
"""Minimum gain in relighting: below it noise would be amplified."""
FAR_LIGHT = 1.5
"""Grey levels that regularise the local light, far from known faces, towards the board's."""
LEAST_KNOWN_PX = 64
"""Minimum number of known pixels for measuring the light."""
FITTED_EVERY = 5
"""Stride over known pixels in that measurement."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedFace:
    """The face in a cell.
    ``picture`` is uint8 (s, s, 3) BGR with its own north up, ``turn`` its clockwise rotation in the lattice
    in quarter turns."""

    picture: U8
    turn: int


def expected_view(
    view: Ortho,
    h_px_from_lattice: F64,
    quads: Mapping[Cell, NDArray[np.floating]],
    faces: Mapping[Cell, ExpectedFace],
) -> tuple[U8, U8]:
    """Render the known faces into the view from above.
    Returns uint8 (H, W, 3), and a mask uint8 (H, W), 255 where a face is known. ``quads`` are each cell's
    corners nw, ne, se, sw in image pixels, which ``h_px_from_lattice`` (3, 3) maps from lattice units."""
    height, width = view.image.shape[:2]
    expected, known = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)
    to_lattice = np.asarray(np.linalg.inv(h_px_from_lattice), np.float64)
    for cell, face in faces.items():
        lattice = apply_homography(to_lattice, np.asarray(quads[cell], np.float64))
        corners = (lattice - view.origin_xy) * CELL_PX - 0.5
        own = np.roll(corners, -face.turn, axis=0).astype(np.float32)
        lay_face(expected, known, face.picture, own)
    return expected, known


class LaidPrint:
    """Cache of the last expected view, valid as long as tiles and faces are unchanged."""

    def __init__(self) -> None:
        self._key: object = None
        self._kept: tuple[U8, U8] | None = None

    def view(
        self,
        view: Ortho,
        h_px_from_lattice: F64,
        quads: Mapping[Cell, NDArray[np.floating]],
        faces: Mapping[Cell, ExpectedFace],
    ) -> tuple[U8, U8]:
        """Return the result of `expected_view`, cached; the arrays must not be modified."""
        laid = [(c, f.picture.ctypes.data, f.turn, quads[c].tobytes()) for c, f in faces.items()]
        key = (view.image.shape, view.origin_xy, h_px_from_lattice.tobytes(), tuple(laid))
        if self._kept is None or key != self._key:
            self._key, self._kept = key, expected_view(view, h_px_from_lattice, quads, faces)
        return self._kept


def lay_face(expected: U8, known: U8, picture: U8, corners_px: F32) -> None:
    """Render one face with its own nw, ne, se, sw at ``corners_px`` (4, 2) into ``expected``, in place.
    ``known`` is set to 255 there. Faces of less than 4 pixels in the view are skipped."""
    height, width = known.shape
    x0, y0 = np.maximum(np.floor(corners_px.min(axis=0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + 1, (width, height))
    if x1 - x0 < 4 or y1 - y0 < 4:
        return
    side = float(mean_sides_px(corners_px))
    small = _shrunk(picture, max(8, round(side)))
    source = (SQUARE * len(small) - 0.5).astype(np.float32)
    to_view = cv2.getPerspectiveTransform(source, (corners_px - (x0, y0)).astype(np.float32))
    size = (int(x1 - x0), int(y1 - y0))
    laid = cv2.warpPerspective(small, to_view, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners_px - (x0, y0)).astype(np.int32), 255)
    cv2.copyTo(laid, inside, expected[y0:y1, x0:x1])
    np.maximum(known[y0:y1, x0:x1], inside, out=known[y0:y1, x0:x1])


def _shrunk(picture: U8, side_px: int) -> U8:
    """Shrink a square picture to ``side_px`` pixels per side; a smaller one is returned unchanged."""
    if len(picture) <= side_px:
        return picture
    return np.asarray(cv2.resize(picture, (side_px, side_px), interpolation=cv2.INTER_AREA), np.uint8)


def board_light(seen: U8, expected: U8, known: U8) -> Light | None:
    """Measure the light of the whole board by its known faces; None if too few pixels are known.
    ``seen`` (H, W, 3) is the view, ``expected`` and ``known`` are those of `expected_view`."""
    if cv2.countNonZero(known) < LEAST_KNOWN_PX:
        return None
    some = np.flatnonzero(known)[::FITTED_EVERY]
    x, y = (part.reshape(-1, 3)[some].astype(np.float32) for part in (expected, seen))
    return line_of_light(x, y, np.ones(len(x), np.float32))


def against_print(seen: U8, expected: U8, known: U8, light: Light | None = None) -> F32:
    """Compare a view with the expected print; return channels float32 (H, W, 7).

    Channels 0-2: the view, relit to the light of the gallery's pictures (-1..1). Channels 3-5: relit view
    minus print, in units of `LEVELS` grey levels, 0 where no face is known. Channel 6: 1 where a face is
    known. All are 0 if the light is unknown. ``light`` is `board_light`, if measured already.

    The light is a gain and an offset per colour for the whole board, and a smooth local gain; both are
    measured where view and print nearly agree.
    """
    mask = (known > 0).astype(np.float32)
    # By planes of one colour: arrays of three interleaved colours take several times as long.
    said = np.zeros((7, *known.shape), np.float32)
    light = light or board_light(seen, expected, known)
    if light is None:
        return said.transpose(1, 2, 0)
    gain, base = light
    now, print_ = ([plane.astype(np.float32) for plane in cv2.split(part)] for part in (seen, expected))
    relit = [np.maximum(print_[c] * gain[c] + base[c], np.float32(2.0)) for c in range(3)]
    off = np.abs(relit[0] - now[0]) + np.abs(relit[1] - now[1]) + np.abs(relit[2] - now[2])
    scale = max(3.0 * float(np.median(off.ravel()[np.flatnonzero(known)[::FITTED_EVERY]])), FITS)
    trust = (1.0 / (1.0 + np.square(off / np.float32(scale))) + np.float32(0.01)) * mask
    for c in range(3):
        slow = _slow(now[c] * trust) + np.float32(FAR_LIGHT)
        slow /= _slow(relit[c] * trust) + np.float32(FAR_LIGHT)
        whitened = now[c] / np.clip(slow, 0.3, 3.0, out=slow)
        whitened -= base[c]
        whitened /= np.maximum(gain[c], np.float32(DARKEST))
        rest = (whitened - print_[c]) * mask
        np.clip(whitened * np.float32(1 / LEVELS) - np.float32(1.0), -1.0, 1.5, out=said[c])
        np.clip(rest * np.float32(1 / LEVELS), -2.0, 2.0, out=said[3 + c])
    said[6] = mask
    return said.transpose(1, 2, 0)


def line_of_light(x: F32, y: F32, near: F32) -> tuple[F32, F32]:
    """Fit gain and base (3,) of the light in which print ``x`` (n, 3) appears as ``y`` (n, 3).
    It is robust against occlusions. ``near`` (n,) are the pixels' initial weights."""
    weight = near
    gain, base = np.ones((3, 1), np.float32), np.zeros((3, 1), np.float32)
    prints, seen = np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)
    for _ in range(3):  # reweighting by all colours together
        for c in range(3):
            gain[c], base[c] = _line(prints[c], seen[c], weight)
        off = np.abs(np.maximum(prints * gain + base, np.float32(2.0)) - seen).sum(axis=0)
        scale = max(3.0 * float(np.median(off)), FITS)
        weight = (near / (1.0 + (off / scale) ** 2)).astype(np.float32)
    return gain[:, 0], base[:, 0]


def _slow(plane: F32) -> F32:
    """Return a blurred copy of (H, W), which keeps what changes slowly, as the light does.
    It is computed at a quarter of the size."""
    height, width = plane.shape
    small = (max(width // 4, 1), max(height // 4, 1))
    low = np.asarray(cv2.resize(plane, small, interpolation=cv2.INTER_AREA), np.float32)
    soft = np.asarray(cv2.GaussianBlur(low, (0, 0), LIGHT_SIDES * CELL_PX / 4.0), np.float32)
    return np.asarray(cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _line(x: F32, y: F32, weight: F32) -> tuple[float, float]:
    """Return gain and offset of the weighted line y = gain · x + offset; the gain is regularised."""
    total = float(weight.sum())
    mx, my = float((weight * x).sum()) / total, float((weight * y).sum()) / total
    spread = float((weight * (x - mx) ** 2).sum()) / total
    both = float((weight * (x - mx) * (y - my)).sum()) / total
    usual = my / max(mx, 1.0)
    gain = (both + 100.0 * usual) / (spread + 100.0)
    gain = float(np.clip(gain, 0.15, 3.0))
    return gain, my - gain * mx
