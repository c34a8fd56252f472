"""Known faces in a frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.toy_boards import toy_board, toy_faces
from vision.locate.sift_matches import FaceIndex, find_seeds, is_plain
from vision.observation import Image, Sight, mean_sides_px

CELLS = [(x, y) for y in range(3) for x in range(4)]


def test_every_face_of_a_board_is_found_once_with_its_pose() -> None:
    board = toy_board(11, CELLS)
    seeds = find_seeds(Sight(board.image), lambda: FaceIndex(board.faces))
    found = {seed.face: seed for seed in seeds if seed.inliers >= 10}
    assert len(found) >= 10
    for face, seed in found.items():
        wanted = board.quads[CELLS[face]]
        side = float(mean_sides_px(wanted))
        errors = [np.abs(np.roll(seed.quad, turn, axis=0) - wanted).max() for turn in range(4)]
        assert min(errors) < 0.12 * side


def test_other_faces_are_not_found() -> None:
    board = toy_board(12, CELLS)
    strangers = FaceIndex(toy_faces(99, 12))
    assert all(seed.inliers < 10 for seed in find_seeds(Sight(board.image), lambda: strangers))


def _never() -> FaceIndex:
    raise AssertionError("the faces are indexed in vain")


def test_a_blank_frame_gives_nothing_and_indexes_no_face() -> None:
    assert find_seeds(Sight(np.full((240, 320, 3), 90, np.uint8)), _never) == []


def test_an_empty_gallery_gives_nothing() -> None:
    empty = FaceIndex(np.zeros((0, 64, 64, 3), np.uint8))
    assert find_seeds(Sight(toy_board(1, CELLS[:2]).image), lambda: empty) == []


def test_a_part_of_a_picture_gives_quads_in_the_whole_one() -> None:
    board = toy_board(11, CELLS)
    height, width = board.image.shape[:2]
    index = FaceIndex(board.faces)
    whole = {seed.face: seed.quad for seed in find_seeds(Sight(board.image), lambda: index)}
    part = find_seeds(Sight(board.image), lambda: index, (width // 8, height // 8, width, height))
    shared = [seed for seed in part if seed.face in whole and seed.inliers >= 10]
    assert len(shared) >= 4
    assert all(
        np.abs(seed.quad - whole[seed.face]).max() < 0.12 * mean_sides_px(seed.quad) for seed in shared
    )


def test_the_features_of_a_picture_are_found_once_for_all_galleries(monkeypatch: pytest.MonkeyPatch) -> None:
    sight = Sight(toy_board(11, CELLS).image)
    indices = [FaceIndex(toy_faces(seed, 3)) for seed in (1, 2)]
    find_seeds(sight, lambda: indices[0])
    monkeypatch.setattr(cv2.SIFT, "create", _never)
    find_seeds(sight, lambda: indices[1])


def _noise() -> Image:
    smooth = np.full((900, 1200, 3), 140.0)
    return (smooth + np.random.default_rng(3).normal(0.0, 1.5, smooth.shape)).astype(np.uint8)


def test_a_wall_is_plain_and_a_dark_board_is_not() -> None:
    ramp = np.linspace(20, 230, 1200, dtype=np.uint8)
    assert is_plain(Sight(np.tile(ramp[None, :, None], (900, 1, 3))))
    assert is_plain(Sight(_noise()))
    dark = cv2.convertScaleAbs(toy_board(11, CELLS[:2]).image, alpha=0.2)
    assert not is_plain(Sight(np.asarray(dark, np.uint8)))
