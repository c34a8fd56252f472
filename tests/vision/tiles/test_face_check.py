"""A claimed face must show its colours, not only fit where it fits."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import Cell
from models import load
from tests.vision.toy_boards import toy_faces
from vision.observation import CellReading, Sight
from vision.tiles.face_check import BLOCKS, FaceCheck, checked_by_color, weigh_by_color
from vision.tiles.gallery import Gallery, build_gallery

GRASS, CITY = (70, 160, 90), (90, 140, 190)
SIDE = 120


def plain(*city_rows: slice) -> np.ndarray:
    """A face of grass with city on some rows."""
    face = np.full((SIDE, SIDE, 3), GRASS, np.uint8)
    for rows in city_rows:
        face[rows] = CITY
    return np.asarray(face + np.random.default_rng(3).integers(0, 12, face.shape, np.uint8), np.uint8)


NORTH, SOUTH = slice(0, 40), slice(80, 120)


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    """E has a city in the north, H one in the south, too; the others are anything."""
    others = [(f"T{k}", face) for k, face in enumerate(toy_faces(4, 4, SIDE))]
    return build_gallery(
        "toy", [("E", plain(NORTH)), ("H", plain(NORTH, SOUTH)), *others], load("descriptor")
    )


def readings(gallery: Gallery, shown: list[np.ndarray]) -> tuple[Sight, dict[Cell, CellReading]]:
    """A picture of tiles in a row, and readings: H for the first, the true faces for the rest."""
    image = np.concatenate(shown, axis=1)
    cells = {}
    for k in range(len(shown)):
        log_probs = np.full((len(gallery.designs), 4), -12.0, np.float32)
        if k == 0:
            log_probs[1, 0], log_probs[0, 0] = -0.1, -2.4
        else:
            log_probs[k + 1, 0] = 0.0
        quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE + np.array(
            [k * SIDE, 0], np.float32
        )
        cells[k, 0] = CellReading((k, 0), quad, log_probs, 5.0, print_known=0.99)
    return Sight(image), cells


def test_plain_grass_where_a_city_should_be_refutes_the_face(gallery: Gallery) -> None:
    sight, cells = readings(gallery, [plain(NORTH), *toy_faces(4, 4, SIDE)])
    checked = checked_by_color(sight, cells, {}, gallery)
    assert checked[0, 0].log_probs.argmax() == 0
    assert all(checked[k, 0].log_probs.argmax() == 4 * (k + 1) for k in range(1, 5))
    same = checked_by_color(*readings(gallery, [plain(NORTH, SOUTH), *toy_faces(4, 4, SIDE)]), {}, gallery)
    assert same[0, 0].log_probs.argmax() == 4


def test_a_covered_part_of_a_tile_does_not_refute_its_face(gallery: Gallery) -> None:
    sight, cells = readings(gallery, [plain(NORTH), *toy_faces(4, 4, SIDE)])
    south = np.zeros((BLOCKS, BLOCKS), np.bool_)
    south[7:] = True
    checked = checked_by_color(sight, cells, {(0, 0): south}, gallery)
    assert checked[0, 0].log_probs[1, 0] == pytest.approx(cells[0, 0].log_probs[1, 0], abs=0.3)


def test_probabilities_stay_probabilities(gallery: Gallery) -> None:
    log_probs = np.log(np.random.default_rng(5).dirichlet(np.ones(24), 3)).reshape(3, 6, 4)
    seen = np.random.default_rng(6).uniform(0, 255, (3, BLOCKS, BLOCKS, 3)).astype(np.float32)
    visible = np.ones((3, BLOCKS, BLOCKS), np.bool_)
    told = weigh_by_color(seen, visible, log_probs, np.ones(3), gallery)
    assert np.exp(told).reshape(3, -1).sum(axis=1) == pytest.approx(np.ones(3))


def test_nothing_sure_leaves_all_as_it_is(gallery: Gallery) -> None:
    sight, cells = readings(gallery, [plain(NORTH)])
    doubtful = {cell: CellReading(cell, r.corners_px, r.log_probs, 5.0) for cell, r in cells.items()}
    assert (checked_by_color(sight, doubtful, {}, gallery)[0, 0].log_probs == cells[0, 0].log_probs).all()


def test_a_still_board_is_checked_once(gallery: Gallery) -> None:
    sight, cells = readings(gallery, [plain(NORTH), *toy_faces(4, 4, SIDE)])
    check = FaceCheck(gallery, load("descriptor"))
    assert check.checked(sight, cells, {}) is check.checked(sight, cells, {})
