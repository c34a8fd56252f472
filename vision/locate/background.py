"""Background: compares doubtful cells by colour with the bare table and with the tiles.

Cell by cell, a carpet or a ruled mat looks like print once in a hundred cells. The colour histograms of all
sure table cells and of all sure tiles are further evidence.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate.params import PARAMS

CELL_PX, RIM_PX = 32, 2
"""Side, in pixels, of a cell's crop, and width of its rim, which is ignored as it may show the neighbour."""
BINS = 16
"""Number of histogram bins of lightness and of each chroma axis."""
FEW = 3
"""Minimum number of sure tiles and of sure table cells."""
RARE = 2e-5
"""Frequency that is added to every colour, so that unseen colours are neutral."""


def print_likeness(
    crops: NDArray[np.uint8],
    tiles: NDArray[np.bool_],
    bare: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the log-odds (n,) that each cell has the colours of the tiles rather than the table.

    They are in nats per pixel, -2..2. ``crops`` uint8 (n, CELL_PX, CELL_PX, 3) show the cells; ``tiles`` and
    ``bare`` (n,) are masks of the sure cells of each kind. All 0 if there are fewer than FEW of either.
    """
    if tiles.sum() < FEW or bare.sum() < FEW:
        return np.zeros(len(crops))
    crops = crops[:, RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    parted = cv2.cvtColor(np.ascontiguousarray(crops.reshape(-1, crops.shape[2], 3)), cv2.COLOR_BGR2YCrCb)
    # Chroma is stretched, because it only uses the middle of the eight-bit range.
    steps = parted.reshape(len(crops), -1, 3).astype(np.int64)
    steps[..., 1:] = (steps[..., 1:] - 128) * 2 + 128
    at = np.clip(steps * BINS // 256, 0, BINS - 1) @ np.array([BINS * BINS, BINS, 1])
    ratio = np.log(_colors(at[tiles])) - np.log(_colors(at[bare]))
    return np.asarray(np.clip(ratio[at], -PARAMS.most_nats, PARAMS.most_nats).mean(axis=1))


def _colors(at: NDArray[np.int64]) -> NDArray[np.float64]:
    """Smoothed colour histogram (BINS³,)."""
    counts = np.bincount(at.reshape(-1), minlength=BINS**3).astype(np.float64).reshape(BINS, BINS, BINS)
    for axis in range(3):
        padded = np.pad(counts, [(int(a == axis),) * 2 for a in range(3)], mode="edge")
        before, after = (np.take(padded, range(k, k + BINS), axis=axis) for k in (0, 2))
        counts = 0.25 * before + 0.5 * counts + 0.25 * after
    return np.asarray(counts.reshape(-1) / max(counts.sum(), 1.0) + RARE)
