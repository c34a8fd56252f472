"""The difference from the print: none for a bare tile in any light, all of a piece."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.train.decks import random_deck
from tests.pictures import as_uint8
from vision.geometry.ortho import CELL_PX, Ortho
from vision.tiles.reprojection import ExpectedFace, LaidPrint, against_print, expected_view

H_LATTICE = np.diag([100.0, 100.0, 1.0])
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * 100


@pytest.fixture(scope="module")
def face() -> NDArray[np.uint8]:
    return np.asarray(random_deck(np.random.default_rng(8), 1, 256)[0], np.uint8)


def from_above(face: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """One tile in the middle of a grey table, seen from above, turned clockwise, in warm dim light."""
    table = np.full((3 * CELL_PX, 3 * CELL_PX, 3), 90.0)
    tile = cv2.resize(np.rot90(face, -turn), (CELL_PX, CELL_PX), interpolation=cv2.INTER_AREA)
    table[CELL_PX : 2 * CELL_PX, CELL_PX : 2 * CELL_PX] = tile
    light = np.linspace(0.45, 0.6, 3 * CELL_PX)[None, :, None] * np.array([0.8, 1.0, 1.15])
    return as_uint8(table * light + 6)


def said_of(picture: NDArray[np.uint8], face: NDArray[np.uint8], turn: int) -> NDArray[np.float32]:
    view = Ortho(picture, np.full(picture.shape[:2], 255, np.uint8), (-1.0, -1.0))
    faces = {(0, 0): ExpectedFace(face, turn)}
    return against_print(picture, *expected_view(view, H_LATTICE, {(0, 0): SQUARE}, faces))


@pytest.mark.parametrize("turn", range(4))
def test_a_bare_tile_is_all_print_in_any_light(face: NDArray[np.uint8], turn: int) -> None:
    said = said_of(from_above(face, turn), face, turn)
    inside = said[CELL_PX + 3 : 2 * CELL_PX - 3, CELL_PX + 3 : 2 * CELL_PX - 3]
    assert (inside[..., 6] == 1).all()
    assert np.abs(inside[..., 3:6]).mean() < 0.1
    assert said[: CELL_PX - 2, :, 6].max() == 0


def test_a_piece_is_what_the_print_does_not_explain(face: NDArray[np.uint8]) -> None:
    picture = from_above(face, 0)
    cv2.circle(picture, (72, 72), 7, (10, 10, 120), -1)
    rest = np.abs(said_of(picture, face, 0)[..., 3:6]).mean(axis=2)
    assert rest[68:77, 68:77].mean() > 4 * np.median(
        rest[CELL_PX + 3 : 2 * CELL_PX - 3, CELL_PX + 3 : 2 * CELL_PX - 3]
    )


def test_without_a_known_face_nothing_is_said(face: NDArray[np.uint8]) -> None:
    picture = from_above(face, 0)
    view = Ortho(picture, np.full(picture.shape[:2], 255, np.uint8), (-1.0, -1.0))
    assert not against_print(picture, *expected_view(view, H_LATTICE, {(0, 0): SQUARE}, {})).any()


def test_the_print_is_laid_again_only_where_something_lies_otherwise(face: NDArray[np.uint8]) -> None:
    view = Ortho(from_above(face, 0), np.full((144, 144), 255, np.uint8), (-1.0, -1.0))
    laid, faces = LaidPrint(), {(0, 0): ExpectedFace(face, 0)}
    first = laid.view(view, H_LATTICE, {(0, 0): SQUARE}, faces)
    assert laid.view(view, H_LATTICE, {(0, 0): SQUARE.copy()}, dict(faces)) is first
    moved = laid.view(view, H_LATTICE, {(0, 0): SQUARE + 1}, faces)
    assert moved is not first
    turned = laid.view(view, H_LATTICE, {(0, 0): SQUARE + 1}, {(0, 0): ExpectedFace(face, 1)})
    assert not np.array_equal(turned[0], moved[0])
