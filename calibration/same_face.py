"""Same face or not: registers two rectified tiles and compares their colours.

Descriptors are invariant to light and scan, and so to small differences such as an emblem. Tiles of one set
in similar photographs need no such invariance: registered precisely, equal prints differ little everywhere,
and a single spot of another colour separates two faces.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.observation import Sight
from vision.tiles.registration import FaceTemplates, align, outlined_prior

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

COMPARED_PX = 64
"""Pixels per side at which faces are compared."""
RIM_PX = 4
"""Width in pixels of the rim that is ignored: corners are inexact, and tiles wear there."""
CORNER_SPREAD = 3.0
"""Factor on the standard deviations of a corner, relative to a tile of a located board."""
CONTRASTS = (0.6, 1.6)
"""Range of the contrast ratio of two pictures by light and exposure."""


def difference(tile: U8, others: U8) -> NDArray[np.float64]:
    """Return the maximum local colour difference (n,) between a tile and each of ``others``.

    ``tile`` (256, 256, 3) and ``others`` (n, 256, 256, 3) have the same rotation. The unit is CIELAB as
    scaled by OpenCV; inf if registration fails.
    """
    size = tile.shape[0]
    square = np.array([[[0, 0], [size, 0], [size, size], [0, size]]], np.float64) - 0.5
    templates = FaceTemplates(np.asarray(tile, np.uint8)[None])
    prior = outlined_prior(CORNER_SPREAD, (32, 32, COMPARED_PX, COMPARED_PX))
    shown = _colours(np.asarray(cv2.resize(tile, (COMPARED_PX,) * 2, interpolation=cv2.INTER_AREA), np.uint8))
    found = np.full(len(others), np.inf)
    for index, other in enumerate(others):
        sight = Sight(other)
        laid = align(sight, square, [0], templates, prior)
        if laid.believed[0]:
            found[index] = _most(_colours(sight.crops(laid.quads, COMPARED_PX)[0]), shown)
    return found


def _colours(face: U8) -> F32:
    """Convert a face (s, s, 3) from BGR to CIELAB, without its rim."""
    lab = np.asarray(cv2.cvtColor(face, cv2.COLOR_BGR2LAB), np.float32)
    return lab[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]


def _most(one: F32, other: F32) -> float:
    """Return the maximum difference of two CIELAB pictures, brightness, tint and contrast equalised."""
    middles = [np.median(picture, axis=(0, 1)) for picture in (one, other)]
    spreads = [picture.std(axis=(0, 1)) for picture in (one, other)]
    contrast = np.clip(spreads[1] / (spreads[0] + 1e-3), *CONTRASTS)
    off = (one - middles[0]) * contrast - (other - middles[1])
    off = np.asarray(off - np.median(off, axis=(0, 1)), np.float32)
    smooth = np.asarray(cv2.GaussianBlur(off, (0, 0), 1.0), np.float64)
    return float(np.sqrt((smooth**2).sum(axis=2)).max())
