"""Learning during play: sure, accepted and unoccluded faces join a gallery, one picture of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.growth import SureViews, keep_former
from tests.vision.plain_descriptor import plain_descriptor
from vision.observation import CellReading, Observation
from vision.tiles.gallery import build_gallery

SIDE = 90


def face(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (6, 6, 3)).astype(np.uint8)
    return cv2.resize(small, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)


FACES = {"A": face(1), "B": face(2), "C": face(3)}


@pytest.fixture
def table() -> tuple[np.ndarray, Observation]:
    """A lies at (0, 0) turned by 90°, B at (1, 0), C at (2, 0); all are read right beyond doubt."""
    image = np.full((200, 400, 3), 60, np.uint8)
    cells = {}
    for number, (name, rot) in enumerate((("A", 90), ("B", 0), ("C", 0))):
        x, y = 40 + number * (SIDE + 10), 50
        image[y : y + SIDE, x : x + SIDE] = np.rot90(FACES[name], -rot // 90)
        corners = SIDE * np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([x, y]) - 0.5
        probs = np.full((3, 4), np.log(1e-6), np.float32)
        probs[number, rot // 90] = -1e-5
        cells[number, 0] = CellReading((number, 0), corners.astype(np.float32), probs, 5.0)
    return image, Observation(0, 0.0, None, tuple(FACES), cells, ())


LAID = {(0, 0): ("A", 90), (1, 0): ("B", 0), (2, 0): ("C", 0)}


def test_accepted_faces_are_kept_with_their_own_north_up(table: tuple[np.ndarray, Observation]) -> None:
    image, observation = table
    views = SureViews()
    views.see(image, observation, LAID)
    gallery = build_gallery("toy", FACES.items(), plain_descriptor())
    grown = views.grown(gallery, plain_descriptor())
    assert np.bincount(grown.face_design).tolist() == [2, 2, 2]
    for index in range(3):
        enrolled, seen = grown.faces[2 * index].astype(int), grown.faces[2 * index + 1].astype(int)
        assert np.abs(enrolled - seen).mean() < 12, index
    views.see(image // 2, observation, LAID)  # no larger: the first stays
    assert np.array_equal(views.grown(gallery, plain_descriptor()).faces, grown.faces)


def test_unsure_covered_small_or_differently_accepted_faces_join_no_gallery(
    table: tuple[np.ndarray, Observation],
) -> None:
    image, observation = table
    first, second = observation.cells[0, 0], observation.cells[1, 0]
    unsure = first.log_probs.copy()
    unsure[0, 1] = np.log(0.99)
    small = second.corners_px.mean(axis=0) + 0.5 * (second.corners_px - second.corners_px.mean(axis=0))
    for change in (
        {(0, 0): replace(first, log_probs=unsure)},
        {(0, 0): replace(first, covered=0.1)},
        {(0, 0): replace(first, log_tile=0.5)},
        {(0, 0): replace(first, corners_px=first.corners_px - np.array([60, 0], np.float32))},
        {(0, 0): replace(second, corners_px=small)},
    ):
        views = SureViews()
        views.see(image, replace(observation, cells=change), {(0, 0): ("A", 90)})
        assert len(views) == 0
    views = SureViews()
    views.see(image, observation, {(0, 0): ("B", 90), (1, 0): ("B", 180), (2, 0): ("Z", 0), (5, 5): ("A", 0)})
    assert len(views) == 0
    gallery = build_gallery("toy", FACES.items(), plain_descriptor())
    assert views.grown(gallery, plain_descriptor()) is gallery


def test_the_gallery_file_before_the_last_learning_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "toy.gallery"
    assert keep_former(path) is None
    for number in range(3):
        path.write_bytes(bytes([number]))
        former = keep_former(path)
        assert former is not None
        assert former.read_bytes() == bytes([number])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["toy.gallery", "toy.gallery.before"]
