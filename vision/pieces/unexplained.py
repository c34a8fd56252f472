"""Unexplained print: the share of what a look shows that the known print does not account for.

A painted roof looks like a meeple, yet the print shows that roof at that place. A piece hides the print, and
what hides it follows other edges.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]

STEP = 2
"""Pixels of a look to one that is compared: gallery and photograph differ in sharpness."""
WINDOW = (slice(13, 27), slice(12, 24))
"""Rows and columns, in steps, in which the piece itself is seen, its foot at
`vision.pieces.piece_classifier.FOOT_PX`."""
SHIFTS = (-1, 0, 1)
"""Displacements, in steps, at which the print is tried: corners are good to a fortieth of a side."""
GAIN = (0.3, 2.0)
"""Range of the contrast of the print as seen, against the gallery's picture."""
NOISE = 1e-3
"""Variance that is noise, on the scale -1..1 of a look."""
LEAST_KNOWN = 0.5
"""Share of the window on known faces from which the print says anything."""


def unexplained(pictures: F32) -> F32:
    """The logarithms (n,) of the shares of the variance in looks that their print leaves over: about 0 where
    something hides the print, or where the print is not known; -1 and less where the print explains it.

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
    """Channels (3, S, S) as a softer picture (S / STEP, S / STEP, 3)."""
    picture = np.ascontiguousarray(channels.transpose(1, 2, 0))
    small = cv2.resize(picture, None, fx=1 / STEP, fy=1 / STEP, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)


def _centred(picture: F32, known: F32) -> F32:
    """A picture (h, w, 3) less its mean over what is known (h, w)."""
    mean = (picture * known[..., None]).sum(axis=(0, 1)) / known.sum()
    return np.asarray((picture - mean) * known[..., None], np.float32)
