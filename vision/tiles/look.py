"""Look: the colours of a printed edition under one home's camera and light.

The pictures of a gallery are often flat scans. A camera at a table shows the same print darker, paler, or
under a warm lamp. A look maps the colours of the scans to those of the camera, so that descriptors of the
scans become comparable with those of the table (`calibration.home_look` fits it).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Look = NDArray[np.float32]
"""Affine map of colours, shape (4, 3): a BGR row (b, g, r, 1), each 0..255, times the look gives BGR."""


def through_look(faces: NDArray[np.uint8], look: Look) -> NDArray[np.uint8]:
    """Return ``faces`` (..., 3) BGR with their colours mapped by ``look``, limited to 0..255."""
    flat = faces.reshape(1, -1, 3)
    mapped = cv2.transform(flat.astype(np.float32), np.ascontiguousarray(look.T))
    return np.asarray(np.clip(np.rint(mapped), 0, 255), np.uint8).reshape(faces.shape)


def is_look(values: NDArray[np.generic]) -> bool:
    """Whether an array read from a file is a look of plausible size."""
    if values.shape != (4, 3) or values.dtype.kind != "f" or not np.isfinite(values).all():
        return False
    return bool(np.abs(values[:3]).max() < 10 and np.abs(values[3]).max() < 1000)
