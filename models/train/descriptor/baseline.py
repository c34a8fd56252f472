"""Baseline for the learned descriptor: colour and gradients of small blocks, compared in place."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE_PX = 96
BLOCKS = 12
BINS = 8
GRADIENT_SHARE = 0.5


def lab_hog(crops_bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Describe crops uint8 [n, s, s, 3]: float32 [n, k].

    Mean LAB colour and gradient directions of 12 × 12 blocks; colour is taken against the crop's own
    mean, so that one light does not decide.
    """
    rows = []
    for crop in crops_bgr:
        small = np.asarray(cv2.resize(crop, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.uint8)
        lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.float32)
        colour = np.asarray(cv2.resize(lab, (BLOCKS, BLOCKS), interpolation=cv2.INTER_AREA), np.float32)
        colour = colour - colour.mean(axis=(0, 1))
        dx = np.asarray(cv2.Sobel(lab[..., 0], cv2.CV_32F, 1, 0), np.float32)
        dy = np.asarray(cv2.Sobel(lab[..., 0], cv2.CV_32F, 0, 1), np.float32)
        strength = np.hypot(dx, dy)
        bin_of = (np.floor((np.arctan2(dy, dx) % np.pi) / np.pi * BINS).astype(int)) % BINS
        planes = np.stack([np.where(bin_of == b, strength, 0) for b in range(BINS)], 2).astype(np.float32)
        hog = np.asarray(cv2.resize(planes, (BLOCKS, BLOCKS), interpolation=cv2.INTER_AREA), np.float32)
        parts = [colour.reshape(-1), hog.reshape(-1)]
        unit = [part / max(float(np.linalg.norm(part)), 1e-6) for part in parts]
        rows.append(np.concatenate([unit[0] * (1 - GRADIENT_SHARE), unit[1] * GRADIENT_SHARE]))
    return np.stack(rows).astype(np.float32)


def nearest(crops_bgr: NDArray[np.uint8], faces_bgr: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each crop the (face, clockwise quarter turns) that lies nearest: int64 [n, 2]."""
    references = np.stack([np.rot90(face, -turn) for face in faces_bgr for turn in range(4)])
    similar = lab_hog(crops_bgr) @ lab_hog(references).T
    best = similar.argmax(axis=1)
    return np.stack([best // 4, best % 4], 1)
