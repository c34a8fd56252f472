"""The look that is fitted is the map that the camera applied, also where pieces hide print."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.home_look import fit_look
from calibration.params import PARAMS
from vision.tiles.gallery import FACE_PX
from vision.tiles.look import Look, through_look

CAMERA: Look = np.array(
    [[0.6, 0.1, -0.05], [0.05, 0.6, 0.0], [-0.1, 0.0, 0.7], [45.0, 20.0, 10.0]], np.float32
)
"""Haze under a warm lamp."""


def face(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (6, 6, 3)).astype(np.uint8)
    return cv2.resize(small, (FACE_PX, FACE_PX), interpolation=cv2.INTER_CUBIC)


def test_the_map_is_found_though_pieces_hide_a_fifth() -> None:
    pairs = []
    for seed in range(12):
        view = through_look(face(seed), CAMERA)
        view[60:180, 70:180] = (20, 20, 230)  # a red piece
        pairs.append((face(seed), view))
    look = fit_look(pairs)
    assert look is not None
    colours = np.random.default_rng(0).integers(30, 225, (50, 3)).astype(np.uint8)
    error = through_look(colours, look).astype(int) - through_look(colours, CAMERA)
    assert np.abs(error).mean() < 3


def test_colours_that_no_view_shows_stay_near_the_scan() -> None:
    grey = np.full((FACE_PX, FACE_PX, 3), 128, np.uint8)
    look = fit_look([(grey, grey + 10)] * PARAMS.look_tiles)
    assert look is not None
    assert np.abs(through_look(np.array([[128, 128, 128]], np.uint8), look) - 138.0).max() <= 1
    assert np.abs(look[:3] - np.eye(3)).max() < 0.1


def test_few_tiles_teach_nothing() -> None:
    assert fit_look([(face(1), face(1))] * (PARAMS.look_tiles - 1)) is None
