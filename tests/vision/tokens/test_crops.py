"""Crops at places of animal tiles, and their expected content."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.observation import Sight
from vision.tokens.crops import (
    LIGHT_PX,
    SIDE_PX,
    TOKEN_PX,
    BoardLight,
    corners_at,
    expectations,
    on_tile,
    print_square,
    token_pictures,
)

RIM = (SIDE_PX - TOKEN_PX) // 2
INNER = slice(RIM, RIM + TOKEN_PX)
QUAD = np.array([(30, 20), (190, 20), (190, 180), (30, 180)], np.float32)


def ground(size: int = 160) -> np.ndarray:
    patches = np.random.default_rng(4).integers(40, 220, (8, 8, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(patches, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)


@pytest.mark.parametrize("turn_deg", [0, 90, 30, 212])
def test_a_cut_and_its_print_show_the_same_place_the_same_way_round(turn_deg: float) -> None:
    image = np.zeros((210, 230, 3), np.uint8)
    image[20:180, 30:190] = ground()
    corners = corners_at((0.45, 0.55), turn_deg, 0.4)
    (seen,) = Sight(image).crops(on_tile(QUAD - np.float32(0.5), corners), SIDE_PX)
    bare, known = print_square(ground(), corners, SIDE_PX)
    assert known.all()
    assert np.abs(seen.astype(int) - bare).mean() < 2


def test_beside_the_tile_nothing_is_known() -> None:
    bare, known = print_square(ground(), corners_at((0.8, 0.8), 0, 0.4), SIDE_PX)
    assert known[: SIDE_PX - RIM, : SIDE_PX - RIM].all()
    assert not known[:, SIDE_PX - RIM :].any()
    assert not bare[~known].any()
    nothing, unknown = print_square(None, corners_at((0.5, 0.5), 0, 0.4), SIDE_PX)
    assert not nothing.any()
    assert not unknown.any()


def test_the_light_on_a_board_is_taken_out_also_where_pieces_stand() -> None:
    faces = {(0, 0): ground(), (1, 0): ground()[::-1].copy()}
    image = np.zeros((160, 320, 3), np.float32)
    image[:, :160], image[:, 160:] = faces[0, 0], faces[1, 0]
    dim = image * (0.4, 0.5, 0.7) + 6
    dim[:, 160:] *= 0.8
    lit = dim.astype(np.uint8)
    lit[40:90, 20:70] = (20, 20, 200)
    square = np.array([(0, 0), (160, 0), (160, 160), (0, 160)], np.float32) - np.float32(0.5)
    quads = {(0, 0): square, (1, 0): square + np.array([160, 0], np.float32)}
    light = BoardLight.of(Sight(lit).crops(list(quads.values()), LIGHT_PX), faces)
    for cell, at in (((0, 0), slice(0, 160)), ((1, 0), slice(160, 320))):
        off = np.abs(light.whitened(lit[100:, at], cell) - image[100:, at]).mean()
        assert off < 8
    assert BoardLight.of(Sight(lit).crops([], LIGHT_PX), {}).whitened(lit, (0, 0)) == pytest.approx(lit)


def test_each_expectation_is_the_print_with_one_animal_tile_on_it() -> None:
    quarter = np.zeros((64, 64, 4), np.uint8)
    quarter[32:] = (10, 200, 30, 255)
    square = np.full((80, 80, 3), 90, np.uint8)
    tokens = token_pictures([quarter, square])
    assert tokens.shape == (2, TOKEN_PX, TOKEN_PX, 4)
    bare, known = print_square(ground(), corners_at((0.5, 0.5), 0, 0.4), SIDE_PX)
    pictures = expectations(bare.astype(np.float32), bare, known, tokens)
    agree = np.abs(pictures[:, :3] - pictures[:, 3:6]).max(axis=1)
    assert agree[0].max() < 0.02
    assert not pictures[0, 7].any()
    assert agree[1, : SIDE_PX // 2].max() < 0.02, "the upper half of the quarter is cut away"
    assert pictures[1, 3:6, SIDE_PX - RIM - 1, SIDE_PX // 2] == pytest.approx(
        np.array([10, 200, 30]) / 127.5 - 1
    )
    assert pictures[2, 7].sum() == TOKEN_PX**2
    assert pictures[2, 3:6, INNER, INNER] == pytest.approx(90 / 127.5 - 1, abs=0.01)
    unknown = expectations(bare.astype(np.float32), bare, np.zeros_like(known), tokens)
    assert not unknown[0, 3:7].any()
    assert np.array_equal(unknown[2, 6], unknown[2, 7])
