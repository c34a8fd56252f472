"""Unexplained variance: the share of a look's variance that the known print does not account for.

Printed details may look like a piece, but they correlate with the known print at that place; a real piece
occludes the print and does not.
"""

from __future__ import annotations

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
    which = np.flatnonzero(known.mean(axis=(1, 2)) >= LEAST_KNOWN)
    if not len(which):
        return out
    mask = known[which, None]
    weight = mask / mask.sum(axis=(2, 3), keepdims=True)
    seen, rest = _soft(pictures[which, 3:6]), _soft(pictures[which, 6:9])
    a, print_ = _centred(seen[..., rows, columns], mask), seen - rest
    whole = (weight * a * a).sum(axis=(1, 2, 3)) + NOISE
    left = whole
    for dy in SHIFTS:
        for dx in SHIFTS:
            there = slice(rows.start + dy, rows.stop + dy), slice(columns.start + dx, columns.stop + dx)
            b = _centred(print_[..., *there], mask)
            both, own = ((weight * one * b).sum(axis=(1, 2, 3)) for one in (a, b))
            gain = np.clip(both / (own + NOISE), *GAIN)
            left = np.minimum(left, whole - gain * (2 * both - gain * own))
    out[which] = np.log(np.maximum(left, NOISE) / whole)
    return out


def _soft(channels: F32) -> F32:
    """Shrink channels (n, 3, S, S) to (n, 3, S / STEP, S / STEP) by area averaging."""
    parts = [channels[..., y::STEP, x::STEP] for y in range(STEP) for x in range(STEP)]
    return np.asarray(sum(parts) / np.float32(STEP * STEP), np.float32)


def _centred(pictures: F32, known: F32) -> F32:
    """Pictures (n, 3, h, w) minus their means over the masks ``known`` (n, 1, h, w), 0 outside these."""
    mean = (pictures * known).sum(axis=(2, 3), keepdims=True) / known.sum(axis=(2, 3), keepdims=True)
    return np.asarray((pictures - mean) * known, np.float32)
