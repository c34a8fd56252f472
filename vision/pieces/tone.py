"""Tone: lightness and chroma of a piece's paint under the light of the gallery's pictures.

The known prints serve as a colour checker: `vision.tiles.reprojection.against_print` relights the picture by
them. The networks classify grey pieces and dark dyes as black; the tone separates these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

AROUND_PX = (13.0, 15.0, 9.0)
"""Ellipse in which a piece's own pixels are searched: half axes, height above the foot, in pixels of a
look."""
CORE_PX = (7.0, 8.0, 8.0)
"""Ellipse that a piece nearly fills, used whole if the print below is unknown; same units."""
PRINT = (slice(24, 54), slice(22, 50))
"""Rows and columns of a look in which the print must be known."""
LEAST_KNOWN = 0.5
"""Minimum share of `PRINT` on known faces for finding a piece's own pixels by the print."""
UNLIKE = 0.35
"""Minimum difference from the print, summed over colours, of a piece's own pixel."""
LEAST_PX = 40
"""Minimum number of own pixels for a tone."""
DARK = 20.0
"""Grey levels that are added before logarithm and ratio, about the level of noise."""


PERCENTILES = (20, 50, 85)
"""Percentiles of the level over the own pixels: dark side, middle, lit side."""
TONES = len(PERCENTILES) + 1
"""Number of features of a tone."""


def tones(pictures: F32, own: NDArray[np.bool_]) -> F32:
    """Return the tone (n, TONES) of the piece in each look: `PERCENTILES` of its level, and its chroma.

    The levels are logarithms; chroma is the median of strongest minus weakest colour, relative to the median
    level. NaN if the light is unknown or few pixels differ from the print. ``pictures`` float32 (n, 10, S, S)
    are those of `vision.pieces.piece_classifier.Looks`, ``own`` (n, S, S) the masks of `own_pixels`.
    """
    out = np.full((len(pictures), TONES), np.nan, np.float32)
    for k, (look, mask) in enumerate(zip(pictures, own, strict=True)):
        if mask.sum() >= LEAST_PX and look[3:6].any():
            out[k] = _tone((look[3:6, mask] + 1.0) * 127.5)
    return out


def own_pixels(pictures: F32, feet_px: F64) -> NDArray[np.bool_]:
    """Return masks (n, S, S) of the pixels of each look's piece: those that differ from the print.
    If the print is unknown, an ellipse of the piece's body is taken. ``feet_px`` (n, 2) are the pieces'
    contact points in ``pictures`` (n, 10, S, S)."""
    rows, columns = np.mgrid[: pictures.shape[2], : pictures.shape[3]]
    masks = np.empty((len(pictures), *pictures.shape[2:]), np.bool_)
    for k, ((x, y), look) in enumerate(zip(feet_px, pictures, strict=True)):
        known = look[9] > 0.5
        seen = known[PRINT].mean() >= LEAST_KNOWN
        wide, tall, above = AROUND_PX if seen else CORE_PX
        masks[k] = ((columns - x) / wide) ** 2 + ((rows - y + above) / tall) ** 2 < 1
        if seen:
            masks[k] &= known & (np.abs(look[6:9]).sum(axis=0) > UNLIKE)
    return masks


def _tone(paint: F32) -> F32:
    """Return the tone (TONES,) of pixels (3, m), BGR in grey levels."""
    levels = np.percentile(paint.mean(axis=0), PERCENTILES) + DARK
    chroma = float(np.median(np.ptp(paint, axis=0)))
    return np.asarray([*np.log(levels), chroma / levels[1]], np.float32)
