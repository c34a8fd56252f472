"""The detector's peaks and candidates."""

from __future__ import annotations

import numpy as np

from vision.pieces import peaks


def test_the_strongest_comes_first() -> None:
    heat = np.zeros((2, 9, 9), np.float32)
    heat[0, 2, 2], heat[0, 6, 6], heat[1, 2, 6] = 0.5, 0.9, 0.7
    assert [p[:3] for p in peaks(heat, 0.3)] == [(False, 6, 6), (True, 2, 6), (False, 2, 2)]
