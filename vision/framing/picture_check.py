"""Check of one picture: the tiles' size, light, sharpness, glare and margin, and the camera's movement.

The blur is that of F. Crete et al., 'The blur effect: perception and estimation with a new no-reference
perceptual blur metric' (2007): how little a picture changes when it is blurred again. It does not depend on
contrast, so dark pictures do not count as blurred.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.small_picture import SmallPicture
from vision.framing.params import PARAMS
from vision.observation import Sight

F64 = NDArray[np.float64]

PictureFault = Literal["moves", "dark", "blurred", "no_tiles", "far", "glare", "cut_off"]
"""Reason why a picture is hard to read, in the order of reporting."""
Side = Literal["left", "right", "top", "bottom", "middle"]
"""Region of a picture."""

FACE_PX = 64
"""Maximum side, in pixels, of the crops that are measured."""
WIDE_PX = 640
"""Width, in pixels, to which a picture without tiles is shrunk."""
RE_BLUR_PX = 9
"""Length, in pixels, of the box filter of Crete's blur."""
EDGE_LEVELS, EDGE_QUANTILE = 6.0, 0.995
"""Minimum step between neighbouring pixels that is an edge, in grey levels; and the quantile of a face's
steps that must reach it."""
BLOWN_LEVEL = 250
"""Level of the darkest channel from which on a pixel is overexposed."""
BRIGHT = 90
"""Percentile of the grey levels that measures the light."""


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """Measurements of one picture; the limits are in `params`.

    ``side_px`` is the mean side of the smallest tile (0 without tiles), ``light`` a grey level, ``blur``
    0..1, ``glare`` the largest overexposed share of a tile (of the picture if there are no tiles),
    ``glare_at`` its region, ``shift`` the camera's movement since the previous picture in picture widths,
    ``cut_off`` the picture edges that are too near to the board.
    """

    tiles: int
    side_px: float
    light: float
    blur: float
    glare: float
    glare_at: Side
    shift: float
    cut_off: tuple[Side, ...]

    @property
    def faults(self) -> tuple[PictureFault, ...]:
        """The measurements beyond their limits, most important first; empty for a good picture."""
        beyond: dict[PictureFault, bool] = {
            "moves": self.shift > PARAMS.shift,
            "dark": self.light < PARAMS.light,
            "blurred": self.blur > PARAMS.blur,
            "no_tiles": self.tiles == 0,
            "far": 0 < self.side_px < PARAMS.side_px,
            "glare": self.glare > PARAMS.glare,
            "cut_off": bool(self.cut_off),
        }
        if beyond["dark"]:
            beyond["blurred"] = False  # nothing has edges in the dark
        return tuple(fault for fault, found in beyond.items() if found)


def check_picture(sight: Sight, quads: F64, before: Sight | None = None) -> PictureCheck:
    """Measure a picture with the tiles at ``quads`` (n, 4, 2), in pixels, clockwise.
    ``before`` is the camera's previous picture, if any."""
    shift = 0.0 if before is None else _shift(*(one.once(SmallPicture.of) for one in (before, sight)))
    if not len(quads):
        size_wh = (WIDE_PX, max(round(sight.size_wh[1] * WIDE_PX / sight.size_wh[0]), 16))
        faces = np.asarray(cv2.resize(sight.image, size_wh, interpolation=cv2.INTER_AREA), np.uint8)[None]
        glare, at = _glare(faces, None)
        return PictureCheck(0, 0.0, _light(faces), _blur(faces), glare, at, shift, ())
    whole_wh = np.array(sight.size_wh, np.float64)
    sides = np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2).mean(axis=1)
    faces = sight.crops(quads, int(np.clip(sides.min(), 16, FACE_PX)))
    glare, at = _glare(faces, quads.mean(axis=1) / whole_wh)
    room = PARAMS.rim_sides * float(np.median(sides))
    near = np.concatenate([quads.min(axis=(0, 1)) < room, quads.max(axis=(0, 1)) > whole_wh - room])
    edges: tuple[Side, ...] = ("left", "top", "right", "bottom")
    cut_off = tuple(edge for edge, is_near in zip(edges, near, strict=True) if is_near)
    return PictureCheck(
        len(quads), float(sides.min()), _light(faces), _blur(faces), glare, at, shift, cut_off
    )


def _light(faces: NDArray[np.uint8]) -> float:
    """The grey level of the bright parts of faces (n, h, w, 3): percentile BRIGHT."""
    return float(np.percentile(faces.mean(axis=3), BRIGHT))


def _blur(faces: NDArray[np.uint8]) -> float:
    """Crete's blur of faces (n, h, w, 3), 0 (sharp) to 1; 1 if no face has an edge."""
    blurs = []
    sharpest = 0.0
    for box, axis in (((1, RE_BLUR_PX), 0), ((RE_BLUR_PX, 1), 1)):
        steps = lost = 0.0
        for face in faces:
            grey = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY).astype(np.float32)
            before = np.abs(np.diff(grey, axis=axis))
            after = np.abs(np.diff(np.asarray(cv2.blur(grey, box), np.float32), axis=axis))
            sharpest = max(sharpest, float(np.quantile(before, EDGE_QUANTILE)))
            steps += float(before.sum())
            lost += float(np.maximum(before - after, 0.0).sum())
        blurs.append(1.0 - lost / steps if steps else 1.0)
    return max(blurs) if sharpest > EDGE_LEVELS else 1.0


def _glare(faces: NDArray[np.uint8], middles: F64 | None) -> tuple[float, Side]:
    """The largest overexposed share of a face (n, h, w, 3), and the picture region of the overexposed pixels.
    ``middles`` (n, 2) are the faces' centres, 0..1; None if the only face is the whole picture."""
    blown = faces.min(axis=3) >= BLOWN_LEVEL
    shares = blown.mean(axis=(1, 2))
    if not blown.any():
        return 0.0, "middle"
    if middles is None:
        _, rows, columns = np.nonzero(blown)
        place = np.array([columns.mean() / blown.shape[2], rows.mean() / blown.shape[1]])
    else:
        place = (middles * shares[:, None]).sum(axis=0) / shares.sum()
    return float(shares.max()), _part(float(place[0]), float(place[1]))


def _part(x: float, y: float) -> Side:
    """The region of the picture that contains a point (x, y), 0..1."""
    off_x, off_y = x - 0.5, y - 0.5
    if max(abs(off_x), abs(off_y)) < 1 / 6:
        return "middle"
    if abs(off_x) >= abs(off_y):
        return "left" if off_x < 0 else "right"
    return "top" if off_y < 0 else "bottom"


def _shift(before: SmallPicture, now: SmallPicture) -> float:
    """Return the global shift between two pictures, in picture widths, by phase correlation.
    0 if their shapes differ."""
    if before.levels.shape != now.levels.shape:
        return 0.0
    height, width = now.levels.shape[:2]
    window = np.asarray(cv2.createHanningWindow((width, height), cv2.CV_32F), np.float32)
    (x, y), _ = cv2.phaseCorrelate(before.levels[..., 0], now.levels[..., 0], window)
    return math.hypot(x, y) / int(width)
