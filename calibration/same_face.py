"""Same face or not: two straightened tiles of one print are laid over each other, and their colours compared.

Descriptors tell faces apart under any light and in any scan, so they forgive what does not fit, also a small
emblem. Tiles of one set, photographed alike, need no such forgiveness: registered to a fraction of a
hundredth of a side, equal prints differ nowhere by much, and a single spot of another colour tells two faces.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.rectify import rectify
from vision.tiles.registration import FaceTemplates, align, outlined_prior

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]

COMPARED_PX = 64
"""Pixels a side at which faces are compared."""
RIM_PX = 4
"""Pixels of the rim that are not: corners are not exact, and tiles wear there."""
CORNER_SPREAD = 3.0
"""Standard deviations of the corners of a tile by itself, in those of one on a located board."""
CONTRASTS = (0.6, 1.6)
"""Ratio of two pictures' contrasts that light and exposure make, at least and at most."""


def difference(tile: U8, others: U8) -> NDArray[np.float64]:
    """Greatest local difference of colour (n,) of a tile (256, 256, 3) from ``others`` (n, 256, 256, 3),
    turned alike, in CIELAB as OpenCV scales it; inf where they cannot be laid over each other."""
    size = tile.shape[0]
    square = np.array([[[0, 0], [size, 0], [size, size], [0, size]]], np.float64) - 0.5
    templates = FaceTemplates(np.asarray(tile, np.uint8)[None])
    prior = outlined_prior(CORNER_SPREAD, (32, 32, COMPARED_PX, COMPARED_PX))
    shown = _colours(np.asarray(cv2.resize(tile, (COMPARED_PX,) * 2, interpolation=cv2.INTER_AREA), np.uint8))
    found = np.full(len(others), np.inf)
    for index, other in enumerate(others):
        image = np.ascontiguousarray(other)
        laid = align(image, square, [0], templates, prior)
        if laid.believed[0]:
            found[index] = _most(_colours(rectify(image, laid.quads, COMPARED_PX)[0]), shown)
    return found


def _colours(face: U8) -> F32:
    lab = np.asarray(cv2.cvtColor(face, cv2.COLOR_BGR2LAB), np.float32)
    return lab[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]


def _most(one: F32, other: F32) -> float:
    """Greatest difference once brightness, tint and contrast of the whole are made equal."""
    middles = [np.median(picture, axis=(0, 1)) for picture in (one, other)]
    spreads = [picture.std(axis=(0, 1)) for picture in (one, other)]
    contrast = np.clip(spreads[1] / (spreads[0] + 1e-3), *CONTRASTS)
    off = (one - middles[0]) * contrast - (other - middles[1])
    off = np.asarray(off - np.median(off, axis=(0, 1)), np.float32)
    smooth = np.asarray(cv2.GaussianBlur(off, (0, 0), 1.0), np.float64)
    return float(np.sqrt((smooth**2).sum(axis=2)).max())
