"""A board of known parts is found, measured, named and followed; animals and pawns on it are read."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.squares_game import Figure, board_rows
from engine.tricky_safari.game import TRICKY_SAFARI
from tests.tilesight.square_scenes import PACK, PITCH, SIDE, Scene, scene
from tilesight.settings import open_pack
from vision.observation import Frame, Sight
from vision.squares.parts import CELLS, FoundParts, PartsFinder, named_as, outer_corners, renamed
from vision.squares.pipeline import SquareBoardPipeline
from vision.squares.reading import see_squares
from vision.tiles.gallery import Gallery


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    found = open_pack(PACK.id, None)[1]
    assert found is not None
    return found


@pytest.fixture(scope="module")
def finder(gallery: Gallery) -> PartsFinder:
    return PartsFinder(gallery)


def shown(found: FoundParts, gallery: Gallery) -> tuple[str, ...]:
    read = {cell: found.face(cell) for cell in CELLS}
    return board_rows(PACK, {cell: (gallery.designs[face], 90 * turn) for cell, (face, turn) in read.items()})


def true_corners(table: Scene) -> np.ndarray:
    half = (PITCH + SIDE) / 2
    return table.camera.project(
        np.array([(x, y, 2.0) for x, y in ((-half, -half), (half, -half), (half, half), (-half, half))])
    )


def test_four_parts_in_any_order_and_turn_are_found_and_measured(
    finder: PartsFinder, gallery: Gallery
) -> None:
    for seed in (1, 2):
        table = scene(seed)
        found = finder.find(Sight(table.picture(())))
        assert found is not None
        assert shown(found, gallery) == table.terrain
        off = np.linalg.norm(outer_corners(found.pose) - true_corners(table), axis=1)
        assert off.max() < 0.02 * found.pose.tile_side_px


def test_a_turned_table_is_named_by_its_lower_left_and_keeps_its_names_once_known(
    finder: PartsFinder, gallery: Gallery
) -> None:
    table = scene(1)
    picture = table.picture(())
    first = finder.find(Sight(picture))
    about = finder.find(Sight(np.ascontiguousarray(picture[::-1, ::-1])))
    assert first is not None and about is not None
    assert shown(about, gallery) == tuple(row[::-1] for row in reversed(table.terrain))
    assert shown(named_as(about, first), gallery) == table.terrain
    assert shown(renamed(renamed(first, 1), 3), gallery) == table.terrain


def test_a_table_without_the_board_shows_none(finder: PartsFinder) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (480, 640, 3)).astype(np.uint8)
    assert finder.find(Sight(noise)) is None


def test_animals_with_their_facings_and_pawns_are_read(gallery: Gallery) -> None:
    table = scene(3)
    state = TRICKY_SAFARI.start(table.opening(random.Random(5)))
    eye = SquareBoardPipeline(gallery, PACK)
    picture = table.picture(state.figures)
    seen = see_squares(eye.observe(Frame(picture)), PACK, "animal", "camera")
    assert seen is not None
    assert {one.figure for one in seen.figures} == set(state.figures)
    again = eye.observe(Frame(picture, 0.2, index=1))
    assert again.motion == 0.0
    assert "locate" not in again.timing_ms  # what looks as before is not read again


def test_a_hidden_animal_is_none_and_no_other_takes_its_name(gallery: Gallery) -> None:
    table = scene(0)
    state = TRICKY_SAFARI.start(table.opening(random.Random(6)))
    left = tuple(one for one in state.figures if one.name != "lion")
    seen = see_squares(
        SquareBoardPipeline(gallery, PACK).observe(Frame(table.picture(left))), PACK, "animal", "camera"
    )
    assert seen is not None
    assert {one.figure for one in seen.figures} == set(left)
    assert Figure("animal", "lion", "a1", "n").name not in {one.figure.name for one in seen.figures}
