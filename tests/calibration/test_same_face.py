"""Comparison of faces: equal prints in other light and slightly rotated, and similar faces that differ in an
emblem."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.params import PARAMS
from calibration.same_face import difference
from models.train.decks import random_deck
from tests.pictures import as_uint8


def seen(face: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    square = np.array([[0, 0], [256, 0], [256, 256], [0, 256]], np.float32)
    H = cv2.getPerspectiveTransform(square, square + rng.normal(0, 4, (4, 2)).astype(np.float32))
    askew = cv2.warpPerspective(face, H, (256, 256), borderMode=cv2.BORDER_REPLICATE)
    lit = askew * rng.uniform(0.9, 1.1) * np.array([0.95, 1.0, 1.04]) + rng.normal(0, 3, askew.shape)
    return as_uint8(lit)


def test_a_small_emblem_makes_another_face_and_light_does_not() -> None:
    for number, face in enumerate(random_deck(np.random.default_rng(3), 4, 256)):
        twin = face.copy()
        mean = face[40:70, 180:210].mean(axis=(0, 1))
        cv2.rectangle(twin, (180, 40), (209, 69), tuple(float(v) for v in (mean + 128) % 256), -1)
        off = difference(seen(face, number), np.stack([seen(face, 10 + number), seen(twin, 20 + number)]))
        assert off[0] < PARAMS.different_colour < off[1], number
