"""Relighting: brightens pictures of dim tables before pieces are detected.

The light is measured on known faces: print appears as ``gain * print + base`` (`vision.tiles.reprojection`).
In dim light few grey levels separate a white piece from a grey cloth. The correction goes only part of the
way to the light of the gallery's pictures, because it amplifies noise as well.
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
    """Brightness correction of one table's pictures, unchanged as long as the light stays about the same."""

    def __init__(self) -> None:
        self._light: Light | None = None
        self._curves: U8 | None = None

    def curves(self, light: Light | None) -> U8 | None:
        """Return look-up tables uint8 (256, 1, 3), BGR, for `lifted`; None if the table is bright enough.
        ``light`` is `vision.tiles.reprojection.board_light`; if it is None or nearly unchanged, the tables
        stay those of the last one."""
        if light is not None and (self._light is None or not _same(self._light, light)):
            self._light = light
            self._curves = _curves(*light) if light[0].mean() < PARAMS.dim_gain else None
        return self._curves


def lifted(image: U8, curves: U8 | None) -> U8:
    """Apply the look-up tables to a picture uint8 (H, W, 3); the picture itself without curves."""
    return image if curves is None else np.asarray(cv2.LUT(image, curves), np.uint8)


def _curves(gain: F32, base: F32) -> U8:
    """Compute the look-up tables uint8 (256, 1, 3) for a light.
    Its ``gain`` (3,) and ``base`` (3,), in grey levels, are BGR."""
    levels = np.arange(256, dtype=np.float32)[:, None]
    gain = np.maximum(gain, DARKEST)
    mean = gain.mean()
    lift = (levels - PARAMS.clearer * base) / (mean**PARAMS.brighter * (gain / mean) ** PARAMS.whiter)
    return np.asarray(np.clip(np.round(lift), 0, 255), np.uint8)[:, None]


def _same(before: Light, now: Light) -> bool:
    """Whether two lights differ by less than `steady_light`: relative for the gain, of 255 for the base."""
    brighter = np.abs(now[0] / before[0] - 1).max()
    return bool(
        brighter < PARAMS.steady_light and np.abs(now[1] - before[1]).max() < PARAMS.steady_light * 255
    )
