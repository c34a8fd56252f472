"""Drawn faces: the edges that a line touches, and a face as its file keeps it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from samples.artwork.geometry import Point


def touched_edges(line: Sequence[Point], tolerance: float = 1e-9) -> set[str]:
    """The edges of the tile that at least one of the points lies on."""
    sides = {"n": 0.0, "w": 0.0, "s": 1.0, "e": 1.0}
    return {e for e, at in sides.items() for u, v in line if abs((v if e in "ns" else u) - at) <= tolerance}


def opened(path: Path) -> NDArray[np.float32]:
    """An RGB picture, float32 [h, w, 3] in 0..1."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"), np.float32) / np.float32(255)
