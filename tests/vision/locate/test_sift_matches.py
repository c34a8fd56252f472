"""Known faces in a frame."""

from __future__ import annotations

import numpy as np

from tests.vision.toy_boards import toy_board, toy_faces
from vision.locate.sift_matches import FaceIndex, find_seeds
from vision.observation import mean_sides_px

CELLS = [(x, y) for y in range(3) for x in range(4)]


def test_every_face_of_a_board_is_found_once_with_its_pose() -> None:
    board = toy_board(11, CELLS)
    seeds = find_seeds(board.image, FaceIndex(board.faces))
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
    assert all(seed.inliers < 10 for seed in find_seeds(board.image, strangers))


def test_a_blank_frame_or_an_empty_gallery_gives_nothing() -> None:
    blank = np.full((240, 320, 3), 90, np.uint8)
    assert find_seeds(blank, FaceIndex(toy_faces(1, 3))) == []
    assert find_seeds(toy_board(1, CELLS[:2]).image, FaceIndex(np.zeros((0, 64, 64, 3), np.uint8))) == []
