"""Unexplained variance: the share of a look's variance that the known print does not account for.

Printed details may look like a piece, but they correlate with the known print at that place; a real piece
occludes the print and does not.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

STEP = 2
"""Shrink factor before the comparison, because gallery and photograph differ in sharpness."""
WINDOW = (slice(13, 27), slice(12, 24))
"""Rows and columns of the shrunken look that contain the piece, whose foot is at
`vision.pieces.piece_classifier.FOOT_PX`."""
SHIFTS = (-1, 0, 1)
"""Shifts of the print, in shrunken pixels: corners are accurate to a fortieth of a side."""
GAIN = (0.3, 2.0)
"""Range of the print's contrast relative to the gallery's picture."""
NOISE = 1e-3
"""Variance of noise, on a look's scale of -1..1."""
LEAST_KNOWN = 0.5
"""Minimum share of the window on known faces."""


def unexplained(pictures: F32) -> F32:
    """Return the logarithm (n,) of the share of each look's variance that its print leaves unexplained.

    It is about 0 if the print is occluded or unknown, -1 and less if the print explains the look.
    ``pictures`` float32 (n, 10, S, S) are those of `vision.pieces.piece_classifier.Looks`.
    """
    out = np.zeros(len(pictures), np.float32)
    rows, columns = WINDOW
    known = (pictures[:, 9, ::STEP, ::STEP][:, rows, columns] > 0.5).astype(np.float32)
    for k in np.flatnonzero(known.mean(axis=(1, 2)) >= LEAST_KNOWN):
        seen = _soft(pictures[k, 3:6])
        print_ = _soft(pictures[k, 3:6] - pictures[k, 6:9])
        a, weight = _centred(seen[rows, columns], known[k]), known[k][..., None] / known[k].sum()
        whole = float((weight * a * a).sum()) + NOISE
        left = whole
        for dy in SHIFTS:
            for dx in SHIFTS:
                there = slice(rows.start + dy, rows.stop + dy), slice(columns.start + dx, columns.stop + dx)
                b = _centred(print_[there], known[k])
                both, own = float((weight * a * b).sum()), float((weight * b * b).sum())
                gain = min(max(both / (own + NOISE), GAIN[0]), GAIN[1])
                left = min(left, whole - gain * (2 * both - gain * own))
        out[k] = np.log(max(left, NOISE) / whole)
    return out


def _soft(channels: F32) -> F32:
    """Shrink channels (3, S, S) to a picture (S / STEP, S / STEP, 3)."""
    picture = np.ascontiguousarray(channels.transpose(1, 2, 0))
    small = cv2.resize(picture, None, fx=1 / STEP, fy=1 / STEP, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)


def _centred(picture: F32, known: F32) -> F32:
    """A picture (h, w, 3) minus its mean over the mask ``known`` (h, w), 0 outside the mask."""
    mean = (picture * known[..., None]).sum(axis=(0, 1)) / known.sum()
    return np.asarray((picture - mean) * known[..., None], np.float32)
