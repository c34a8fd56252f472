"""Background of the table beside the board: whether a doubtful cell looks like it or like the tiles.

Sides and faces are judged cell by cell; a carpet's pile or a mat's ruling may look like a print once in a
hundred cells. The table says what it is made of by all the other cells that are surely bare, and the tiles
what they are printed in by all that are surely tiles.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.rectify import rectify
from vision.locate.params import PARAMS
from vision.observation import Image

CELL_PX, RIM_PX = 32, 2
"""Side, in pixels, of a cell as it is looked at, and width of the rim that may show its neighbour."""
BINS = 16
"""Number of steps of lightness and of each of the two colour axes."""
FEW = 3
"""Number of cells of a kind below which they do not say what that kind looks like."""
RARE = 2e-5
"""Share of a colour that was not seen: what is new speaks for neither."""


def print_likeness(
    frame_bgr: Image,
    quads: NDArray[np.float64],
    tiles: NDArray[np.bool_],
    bare: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Log-odds that each cell looks like the tiles and not like the table: nats a pixel (n,), -2..2.

    ``quads`` (n, 4, 2) pixels; ``tiles`` and ``bare`` (n,) say which cells are surely the one or the other.
    All 0 where there are few of either.
    """
    if tiles.sum() < FEW or bare.sum() < FEW:
        return np.zeros(len(quads))
    crops = rectify(frame_bgr, quads, CELL_PX)[:, RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    parted = cv2.cvtColor(np.ascontiguousarray(crops.reshape(-1, crops.shape[2], 3)), cv2.COLOR_BGR2YCrCb)
    # Table and tiles differ little in colour against what eight bits can hold: most of it lies in the middle.
    steps = parted.reshape(len(quads), -1, 3).astype(np.int64)
    steps[..., 1:] = (steps[..., 1:] - 128) * 2 + 128
    at = np.clip(steps * BINS // 256, 0, BINS - 1) @ np.array([BINS * BINS, BINS, 1])
    ratio = np.log(_colors(at[tiles])) - np.log(_colors(at[bare]))
    return np.asarray(np.clip(ratio[at], -PARAMS.most_nats, PARAMS.most_nats).mean(axis=1))


def _colors(at: NDArray[np.int64]) -> NDArray[np.float64]:
    """Frequency of each colour (BINS³,), neighbouring ones counted too."""
    counts = np.bincount(at.reshape(-1), minlength=BINS**3).astype(np.float64).reshape(BINS, BINS, BINS)
    for axis in range(3):
        padded = np.pad(counts, [(int(a == axis),) * 2 for a in range(3)], mode="edge")
        before, after = (np.take(padded, range(k, k + BINS), axis=axis) for k in (0, 2))
        counts = 0.25 * before + 0.5 * counts + 0.25 * after
    return np.asarray(counts.reshape(-1) / max(counts.sum(), 1.0) + RARE)
