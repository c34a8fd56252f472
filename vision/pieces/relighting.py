"""Relighting: pictures of dim tables, brightened to the light in which pieces are known best.

How dim a table is its known faces say: print is seen as ``gain * print + base``
(`vision.tiles.reprojection`). In lamp light and haze that leaves few grey levels between a white piece and a
grey cloth. The lift goes a part of the way to the light of the print's own picture: all of it would make as
much of the noise as of the pieces.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pieces.params import PARAMS
from vision.tiles.reprojection import DARKEST, Light

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]


class Daylight:
    """The lift of one table's pictures, kept as long as its light stays about the same."""

    def __init__(self) -> None:
        self._light: Light | None = None
        self._curves: U8 | None = None

    def curves(self, light: Light | None) -> U8 | None:
        """Look-up tables uint8 (256, 1, 3), BGR, for `lifted`; None where the table is bright enough. Where
        no face tells of the ``light`` (`vision.tiles.reprojection.board_light`) it is as it was."""
        if light is not None and (self._light is None or not _same(self._light, light)):
            self._light = light
            self._curves = _curves(*light) if light[0].mean() < PARAMS.dim_gain else None
        return self._curves


def lifted(image: U8, curves: U8 | None) -> U8:
    """The picture uint8 (H, W, 3) under better light; itself without curves."""
    return image if curves is None else np.asarray(cv2.LUT(image, curves), np.uint8)


def _curves(gain: F32, base: F32) -> U8:
    levels = np.arange(256, dtype=np.float32)[:, None]
    gain = np.maximum(gain, DARKEST)
    mean = gain.mean()
    lift = (levels - PARAMS.clearer * base) / (mean**PARAMS.brighter * (gain / mean) ** PARAMS.whiter)
    return np.asarray(np.clip(np.round(lift), 0, 255), np.uint8)[:, None]


def _same(before: Light, now: Light) -> bool:
    brighter = np.abs(now[0] / before[0] - 1).max()
    return bool(
        brighter < PARAMS.steady_light and np.abs(now[1] - before[1]).max() < PARAMS.steady_light * 255
    )
