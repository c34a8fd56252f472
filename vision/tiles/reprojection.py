"""Reprojection: the expected view of a board of known faces from above, and what differs from it.

A piece is what the print does not explain. Where a tile's face is known, the gallery's picture of it is
laid under the photograph, the photograph brought to that picture's light, and the difference taken: dark
forests and painted lions vanish, whatever stands on them remains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, Ortho
from vision.geometry.rectify import SQUARE
from vision.observation import mean_sides_px

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Light = tuple[F32, F32]
"""Light in which print is seen: gain and base (3,), BGR, of ``gain * print + base``."""

# What follows shapes the networks' input: a change needs networks that were trained with it.
LEVELS = 127.5
"""Grey levels that count as one in the differences handed on."""
LIGHT_SIDES = 0.45
"""Standard deviation, in tile sides, of the blur that follows the light on the table."""
FITS = 24.0
"""Grey levels, all colours together, at which a difference counts half in measuring the light; at least."""
DARKEST = 0.15
"""Light, against the gallery's pictures, under which dimness is not made up for: it would be noise."""
FAR_LIGHT = 1.5
"""Grey levels that draw the light far from any known face to the whole board's."""
LEAST_KNOWN_PX = 64
"""Known pixels from which the light of the board is measured."""
FITTED_EVERY = 5
"""Stride over known pixels in that measurement: every fifth is enough."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedFace:
    """A face that lies in a cell: uint8 (s, s, 3) BGR with its own north up, and the clockwise quarter turns
    in which it lies in the lattice."""

    picture: U8
    turn: int


def expected_view(
    view: Ortho,
    h_px_from_lattice: F64,
    quads: Mapping[Cell, NDArray[np.floating]],
    faces: Mapping[Cell, ExpectedFace],
) -> tuple[U8, U8]:
    """The known faces as they lie in the picture from above: uint8 (H, W, 3), and uint8 (H, W), 255 where a
    face is known. ``quads`` are each cell's corners nw, ne, se, sw in image pixels."""
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
    """The last expected picture, kept as long as tiles and faces lie as they did: a camera at rest."""

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
        """Result of `expected_view`; the arrays are not to be changed."""
        laid = [(c, f.picture.ctypes.data, f.turn, quads[c].tobytes()) for c, f in faces.items()]
        key = (view.image.shape, view.origin_xy, h_px_from_lattice.tobytes(), tuple(laid))
        if self._kept is None or key != self._key:
            self._key, self._kept = key, expected_view(view, h_px_from_lattice, quads, faces)
        return self._kept


def lay_face(expected: U8, known: U8, picture: U8, corners_px: F32) -> None:
    """Lay one face with its own nw, ne, se, sw at ``corners_px`` (4, 2) of the picture from above."""
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
    part = inside > 0
    expected[y0:y1, x0:x1][part] = laid[part]
    known[y0:y1, x0:x1][part] = 255


def _shrunk(picture: U8, side_px: int) -> U8:
    if len(picture) <= side_px:
        return picture
    return np.asarray(cv2.resize(picture, (side_px, side_px), interpolation=cv2.INTER_AREA), np.uint8)


def board_light(seen: U8, expected: U8, known: U8) -> Light | None:
    """The light of the whole board by the faces that `expected_view` lays under it; None where hardly any is
    known."""
    if cv2.countNonZero(known) < LEAST_KNOWN_PX:
        return None
    some = np.flatnonzero(known)[::FITTED_EVERY]
    x, y = (part.reshape(-1, 3)[some].astype(np.float32) for part in (expected, seen))
    return line_of_light(x, y, np.ones(len(x), np.float32))


def against_print(seen: U8, expected: U8, known: U8, light: Light | None = None) -> F32:
    """Evidence of the print in the picture: float32 (H, W, 7). ``light`` is its `board_light`, where that was
    measured already.

    Three channels of the picture as it would look under the light of the gallery's pictures (-1..1), three
    of what the print does not explain (seen less expected under that light, 1 for `LEVELS` grey levels, 0
    where no face is known), one that is 1 where a face is known. All are 0 where there is no known face.

    The light is a gain and an offset for each colour over the whole board, and a gain that changes slowly
    from place to place; both are measured where seen and expected nearly agree.
    """
    mask = known > 0
    said = np.zeros((*known.shape, 7), np.float32)
    light = light or board_light(seen, expected, known)
    if light is None:
        return said
    gain, base = light
    now, print_ = seen.astype(np.float32), expected.astype(np.float32)
    relit = np.maximum(print_ * gain + base, np.float32(2.0))
    off = np.asarray(cv2.transform(cv2.absdiff(relit, now), np.ones((1, 3), np.float32)), np.float32)
    scale = max(3.0 * float(np.median(off.ravel()[np.flatnonzero(known)[::FITTED_EVERY]])), FITS)
    trust = 1.0 / (1.0 + np.square(off / np.float32(scale))) + np.float32(0.01)
    trust = (trust * mask)[..., None]
    seen_light, print_light = _slow(now * trust), _slow(relit * trust)
    seen_light += np.float32(FAR_LIGHT)
    print_light += np.float32(FAR_LIGHT)
    slow = np.clip(np.divide(seen_light, print_light, out=seen_light), 0.3, 3.0, out=seen_light)
    whitened = np.divide(now, slow, out=now)
    whitened -= base
    whitened /= np.maximum(gain, np.float32(DARKEST))
    rest = (whitened - print_) * (mask / np.float32(LEVELS))[..., None]
    whitened *= np.float32(1 / LEVELS)
    whitened -= np.float32(1.0)
    np.clip(whitened, -1.0, 1.5, out=said[..., :3])
    np.clip(rest, -2.0, 2.0, out=said[..., 3:6])
    said[..., 6] = mask
    return said


def line_of_light(x: F32, y: F32, near: F32) -> tuple[F32, F32]:
    """Gain and base (3,) of the light in which print ``x`` (n, 3) is seen as ``y``; ``near`` (n,) is how much
    each pixel counts before it is known where something stands in the way."""
    weight = near
    gain, base = np.ones(3, np.float32), np.zeros(3, np.float32)
    for _ in range(3):  # where a piece stands in the way, all its colours say so together
        for c in range(3):
            gain[c], base[c] = _line(x[:, c], y[:, c], weight)
        off = np.abs(np.maximum(x * gain + base, 2.0) - y).sum(axis=1)
        scale = max(3.0 * float(np.median(off)), FITS)
        weight = (near / (1.0 + (off / scale) ** 2)).astype(np.float32)
    return gain, base


def _slow(channels: F32) -> F32:
    """The part of (H, W, c) that changes slowly from place to place."""
    height, width = channels.shape[:2]
    small = (max(width // 4, 1), max(height // 4, 1))
    low = np.asarray(cv2.resize(channels, small, interpolation=cv2.INTER_AREA), np.float32)
    soft = np.asarray(cv2.GaussianBlur(low, (0, 0), LIGHT_SIDES * CELL_PX / 4.0), np.float32)
    return np.asarray(cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _line(x: F32, y: F32, weight: F32) -> tuple[float, float]:
    """Gain and offset of the weighted line y = gain · x + offset, the gain kept sensible."""
    total = float(weight.sum())
    mx, my = float((weight * x).sum()) / total, float((weight * y).sum()) / total
    spread = float((weight * (x - mx) ** 2).sum()) / total
    both = float((weight * (x - mx) * (y - my)).sum()) / total
    usual = my / max(mx, 1.0)
    gain = (both + 100.0 * usual) / (spread + 100.0)
    gain = float(np.clip(gain, 0.15, 3.0))
    return gain, my - gain * mx
