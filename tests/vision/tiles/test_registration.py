"""Tiles are registered with their faces exactly, even with pieces on them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.train.decks import random_deck
from tests.pictures import as_uint8
from vision.geometry.homography import SQUARE
from vision.observation import Sight
from vision.tiles.registration import FaceTemplates, align, found_nearby

CORNERS = np.array([[110, 92], [231, 101], [246, 215], [98, 208]], np.float64)
SIDE_PX = 125.0


@pytest.fixture(scope="module")
def faces() -> NDArray[np.uint8]:
    return random_deck(np.random.default_rng(5), 4, 256)


def photographed(face: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The face on a grey table under other light, with noise."""
    to_photo = cv2.getPerspectiveTransform(
        (SQUARE * len(face) - 0.5).astype(np.float32), CORNERS.astype(np.float32)
    )
    photo = np.full((300, 340, 3), 120, np.uint8)
    cv2.warpPerspective(face, to_photo, (340, 300), dst=photo, borderMode=cv2.BORDER_TRANSPARENT)
    light = np.linspace(0.5, 0.9, 340)[None, :, None] * np.array([0.7, 0.95, 1.1])
    noise = np.random.default_rng(1).normal(0, 4, photo.shape)
    return as_uint8(photo * light + 12 + noise)


def worst_corner(quad: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(quad - CORNERS, axis=1).max()) / SIDE_PX


@pytest.mark.parametrize("face", range(4))
@pytest.mark.parametrize("off_px", [(3.0, -2.0), (-2.5, 2.5)])
def test_corners_come_out_to_a_fraction_of_a_pixel(
    faces: NDArray[np.uint8], face: int, off_px: tuple[float, float]
) -> None:
    found = align(Sight(photographed(faces[face])), (CORNERS + off_px)[None], [face], FaceTemplates(faces))
    assert found.believed[0] and found.likeness[0] > 0.8
    assert worst_corner(found.quads[0]) < 0.008


def test_a_piece_on_the_tile_does_not_pull_it(faces: NDArray[np.uint8]) -> None:
    photo = photographed(faces[0])
    cv2.circle(photo, (160, 140), 22, (30, 20, 180), -1)
    found = align(Sight(photo), (CORNERS + 2.0)[None], [0], FaceTemplates(faces))
    assert worst_corner(found.quads[0]) < 0.012


def test_another_face_is_not_believed(faces: NDArray[np.uint8]) -> None:
    found = align(Sight(photographed(faces[0])), CORNERS[None], [1], FaceTemplates(faces))
    assert not found.believed[0]
    assert np.array_equal(found.quads[0], CORNERS)


def test_no_tiles_at_all(faces: NDArray[np.uint8]) -> None:
    found = align(Sight(photographed(faces[0])), np.zeros((0, 4, 2)), [], FaceTemplates(faces))
    assert found.quads.shape == (0, 4, 2)


def test_a_tile_that_lies_far_from_its_outline_is_found_by_its_face(faces: NDArray[np.uint8]) -> None:
    photo, templates = photographed(faces[2]), FaceTemplates(faces)
    astray = CORNERS + np.array([20.0, 15.0])
    assert not align(Sight(photo), astray[None], [2], templates).believed[0]
    moved, found = found_nearby(Sight(photo), astray[None], [2], templates)
    assert found[0]
    assert worst_corner(align(Sight(photo), moved, [2], templates).quads[0]) < 0.02


def test_another_face_is_not_found_nearby(faces: NDArray[np.uint8]) -> None:
    moved, found = found_nearby(
        Sight(photographed(faces[2])), CORNERS[None] + 30.0, [3], FaceTemplates(faces)
    )
    assert not found[0]
    assert np.array_equal(moved[0], CORNERS + 30.0)
