"""Tone: how light and how coloured the paint of a piece is, in the light of the gallery's pictures.

The known prints on a table are a colour checker: they tell its light, and a piece is seen as it would look
under the light of the gallery's pictures (`vision.tiles.reprojection.against_print`). The networks know no
grey pieces and call them black, and so they call dark dyes; the tone tells them apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

AROUND_PX = (13.0, 15.0, 9.0)
"""Ellipse in which a piece's own pixels are sought: half axes and height over the foot, pixels of a look."""
CORE_PX = (7.0, 8.0, 8.0)
"""Ellipse that a piece nearly fills, taken as it is where the print below is not known; likewise."""
PRINT = (slice(24, 54), slice(22, 50))
"""Rows and columns of a look in which the print must be known."""
LEAST_KNOWN = 0.5
"""Share of `PRINT` on known faces from which they tell a piece's own pixels."""
UNLIKE = 0.35
"""Difference from the print, all colours together, from which a pixel is the piece's own."""
LEAST_PX = 40
"""Own pixels from which a tone is told."""
DARK = 20.0
"""Grey levels that are added before logarithm and ratio: below, there is noise."""


PERCENTILES = (20, 50, 85)
"""Percentiles of the level over the own pixels: the dark side, the middle, and the lit side."""
TONES = len(PERCENTILES) + 1
"""Number of quantities that describe a tone."""


def tones(pictures: F32, feet_px: F64) -> F32:
    """Tones (n, TONES) of what stands in looks: the logarithms of the `PERCENTILES` of its level, and its
    median chroma (the strongest colour less the weakest) as a share of the median level. NaN where no print
    on the table tells its light, or hardly a pixel differs from the print.

    ``pictures`` float32 (n, 10, S, S) are those of `vision.pieces.piece_classifier.Looks`, ``feet_px`` (n, 2)
    where the pieces touch the board in them.
    """
    out = np.full((len(pictures), TONES), np.nan, np.float32)
    for k, (look, own) in enumerate(zip(pictures, own_pixels(pictures, feet_px), strict=True)):
        if own.sum() >= LEAST_PX and look[3:6].any():
            out[k] = _tone((look[3:6, own] + 1.0) * 127.5)
    return out


def own_pixels(pictures: F32, feet_px: F64) -> NDArray[np.bool_]:
    """Masks (n, S, S) of the pixels that are a piece's own: those that differ from the print around it, or
    most of its body where no print is known. Arguments as for `tones`."""
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
    """The tone of pixels (3, m), BGR in grey levels."""
    levels = np.percentile(paint.mean(axis=0), PERCENTILES) + DARK
    chroma = float(np.median(np.ptp(paint, axis=0)))
    return np.asarray([*np.log(levels), chroma / levels[1]], np.float32)
