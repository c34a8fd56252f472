"""Straightening tiles out of a photograph."""

from __future__ import annotations

import cv2
import numpy as np

from vision.geometry.rectify import SQUARE, Pyramid, homographies, rectify


def test_upright_square_comes_out_as_it_is() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (60, 80, 3)).astype(np.uint8)
    quad = SQUARE * 24 + np.array([20, 10]) - 0.5
    crop = rectify(image, quad[None], 24)
    assert np.array_equal(crop[0], image[10:34, 20:44])


def test_order_of_corners_turns_the_crop() -> None:
    image = np.zeros((40, 40, 3), np.uint8)
    image[:20, :20] = 255  # white in the north-west
    quad = SQUARE * 39
    turned = np.roll(quad, -1, axis=0)  # its first corner is the picture's north-east
    crop = rectify(image, turned[None], 20)[0]
    assert crop[2, 2].max() == 0
    assert crop[17, 2].min() == 255


def test_homography_takes_corners_to_the_rim() -> None:
    quad = np.array([[10, 12], [50, 9], [55, 60], [8, 52]], np.float64)
    h = homographies(quad[None], 96)[0]
    mapped = cv2.perspectiveTransform(quad[None].astype(np.float64), h).reshape(4, 2)
    assert np.allclose(mapped, SQUARE * 96 - 0.5, atol=1e-3)


def test_large_tiles_do_not_alias() -> None:
    image = np.zeros((800, 800, 3), np.uint8)
    image[::2] = 255  # lines one pixel wide
    crop = rectify(image, (SQUARE * 768 + 13)[None], 96)[0]
    assert abs(float(crop.mean()) - 127) < 3
    assert float(crop.std()) < 10


def test_a_pyramid_is_cut_as_its_picture_is() -> None:
    image = np.random.default_rng(0).integers(0, 255, (203, 301, 3), dtype=np.uint8)
    quads = np.stack([SQUARE * side + np.array([20.3, 11.7]) for side in (40, 90, 180)])
    whole = rectify(Pyramid(image), quads, 24).astype(int)
    assert np.abs(whole - rectify(image, quads, 24)).max() <= 2


def test_outside_the_image_and_none_at_all() -> None:
    image = np.full((50, 50, 3), 9, np.uint8)
    far = SQUARE * 400 + np.array([4000, -900])
    assert rectify(image, np.stack([SQUARE * 30, far]), 32).shape == (2, 32, 32, 3)
    assert rectify(image, np.zeros((0, 4, 2)), 32).shape == (0, 32, 32, 3)
