"""Print likelihood: decides whether outlined squares show printed tiles, without knowing their art.

Squares of a cloth, a floor, a chess board, a crossword or a keyboard lie on a lattice as tiles do. Two things
tell them apart. A printed face has many colours, a square of a pattern only a few. And tiles differ and are
laid in all rotations, while a pattern repeats itself upright.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate.params import PARAMS
from vision.observation import Sight

FACE_PX, INNER_PX = 64, slice(8, 56)
"""Side of the crops in pixels, and the part of it that is compared, off the tile's rim."""
SMALL_PX, SMALL_INNER = 16, slice(1, 15)
"""The same of the crops that are correlated."""
LEVELS = 16
"""Width of a colour's bin, in levels of CIE Lab."""
BRIGHT_LEVEL, MOST_GAIN = 230.0, 4.0
"""Grey level to which the bright parts are raised, and the maximum gain, so that dark pictures compare."""
FAINT = 20.0
"""Norm of a crop, in grey levels, below which its correlations count less."""


def print_nats(sight: Sight, quads: NDArray[np.float64]) -> float:
    """Return the log-odds, in nats, that the squares ``quads`` (n, 4, 2) px show tiles and no pattern."""
    faces = sight.crops(quads, FACE_PX)
    bits, repeated = float(np.median(_color_bits(faces))), _repetition(faces)
    return PARAMS.print_nats * (bits - PARAMS.print_bits) - PARAMS.repeated_nats * repeated


def _color_bits(faces: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the entropy (n,), in bits, of the colours of each of ``faces`` (n, h, w, 3)."""
    gain = np.clip(BRIGHT_LEVEL / max(float(np.percentile(faces, 95)), 1.0), 1.0, MOST_GAIN)
    return np.array([_entropy(face, float(gain)) for face in faces])


def _entropy(face: NDArray[np.uint8], gain: float) -> float:
    bright = cv2.convertScaleAbs(cv2.GaussianBlur(face, (0, 0), 1.0), alpha=gain)
    bins = cv2.cvtColor(bright, cv2.COLOR_BGR2LAB)[INNER_PX, INNER_PX].reshape(-1, 3) // LEVELS
    _, counts = np.unique(bins, axis=0, return_counts=True)
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _repetition(faces: NDArray[np.uint8]) -> float:
    """Return how much more ``faces`` resemble each other upright than rotated, 0..1.
    It is the median correlation of two faces, less the one that they have in other rotations; 0 for one."""
    if len(faces) < 2:
        return 0.0
    grey = [cv2.cvtColor(face, cv2.COLOR_BGR2GRAY) for face in faces]
    small = np.stack([cv2.resize(face, (SMALL_PX, SMALL_PX), interpolation=cv2.INTER_AREA) for face in grey])
    small = np.asarray(small[:, SMALL_INNER, SMALL_INNER], np.uint8)
    upright = _unit(small)
    others = ~np.eye(len(faces), dtype=np.bool_)
    rotated = [_unit(np.rot90(small, turn, (1, 2))) for turn in range(4)]
    alike = [float(np.median((upright @ one.T)[others])) for one in rotated]
    return max(alike[0] - max(alike[1:]), 0.0)


def _unit(faces: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return grey ``faces`` (n, h, w) as rows (n, h·w) of mean 0 and norm 1, faint ones of less."""
    rows = faces.reshape(len(faces), -1).astype(np.float64)
    rows -= rows.mean(axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), FAINT))
