"""From a frame to the board's pose: known art, names, following a still camera, no board."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.toy_boards import ToyBoard, toy_board, toy_faces
from vision.change.small_picture import SmallPicture
from vision.locate.heatmap import Heat
from vision.locate.lattice_search import find_lattices
from vision.locate.locator import Locator, LocatorState, _board_on, locate
from vision.observation import BoardPose, Sight, mean_sides_px

CELLS = [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (4, 2)]


@dataclass(frozen=True, eq=False)
class Faces:
    firsts: NDArray[np.uint8]


@pytest.fixture(scope="module")
def locator() -> Locator:
    return Locator.load()


def worst_error(pose: BoardPose, board: ToyBoard) -> float:
    """Largest corner error in sides, cells compared by their names after the best shift."""
    first = min(board.quads, key=lambda cell: (cell[1], cell[0]))
    worst = 0.0
    for cell, wanted in board.quads.items():
        got = pose.quads[(cell[0] - first[0], cell[1] - first[1])]
        side = float(mean_sides_px(wanted))
        worst = max(worst, float(np.linalg.norm(got - wanted, axis=1).max() / side))
    return worst


@pytest.mark.parametrize(("elevation_deg", "yaw_deg"), [(90.0, 0.0), (60.0, 25.0), (42.0, -35.0)])
def test_a_board_of_known_art_is_found_with_its_names(
    locator: Locator, elevation_deg: float, yaw_deg: float
) -> None:
    board = toy_board(21, CELLS, elevation_deg=elevation_deg, yaw_deg=yaw_deg)
    pose, state = locate(Sight(board.image), locator, gallery=Faces(board.faces))
    assert pose is not None
    assert state.prior is pose
    assert not state.followed
    assert len(pose.quads) == len(CELLS)
    assert worst_error(pose, board) < 0.06
    assert pose.image_size_wh == (1280, 720)
    assert set(pose.occupied) > set(pose.quads)
    middle = np.array([*np.mean(list(pose.quads), axis=0) + 0.5, 1.0])
    where = pose.H_px_from_lattice @ middle
    inside = np.concatenate(list(pose.quads.values()))
    assert (where[:2] / where[2] > inside.min(axis=0)).all()
    assert (where[:2] / where[2] < inside.max(axis=0)).all()


@pytest.mark.long
def test_a_table_without_a_board_gives_nothing(locator: Locator) -> None:
    rng = np.random.default_rng(4)
    gallery = Faces(toy_faces(5, 8))
    speckled = rng.integers(0, 255, (480, 640, 3)).astype(np.uint8)
    plain = np.full((480, 640, 3), 120, np.uint8)
    for table in (speckled, plain):
        assert locate(Sight(table), locator, gallery=gallery) == (None, LocatorState())
        assert locate(Sight(table), locator) == (None, LocatorState())


def test_nothing_moved_gives_the_prior_itself(locator: Locator) -> None:
    board = toy_board(22, CELLS)
    gallery = Faces(board.faces)
    pose, state = locate(Sight(board.image), locator, gallery=gallery)
    assert pose is not None
    noise = np.random.default_rng(1).normal(0, 3, board.image.shape)
    again = np.clip(board.image + noise, 0, 255).astype(np.uint8)
    still, after = locate(Sight(again), locator, state, gallery)
    assert still is pose
    assert after.place is state.place
    assert after.followed


def test_a_board_that_is_gone_is_remembered(locator: Locator) -> None:
    board = toy_board(22, CELLS)
    _, state = locate(Sight(board.image), locator, gallery=Faces(board.faces))
    assert locate(Sight(np.full_like(board.image, 120)), locator, state)[0] is None
    again, after = locate(Sight(board.image), locator, LocatorState(state.place), Faces(board.faces))
    assert again is state.prior
    assert after.place is state.place


def test_a_new_tile_joins_the_prior_under_the_same_names(locator: Locator) -> None:
    faces = toy_faces(23, 12)
    # The camera frames the same cells in both: the last tile is laid between the two pictures.
    before = toy_board(23, CELLS, faces=faces)
    gallery = Faces(faces)
    missing = before.quads[(4, 2)]
    bare = before.image.copy()
    low, high = missing.min(axis=0).astype(int) - 3, missing.max(axis=0).astype(int) + 3
    mask = np.zeros(bare.shape[:2], bool)
    mask[low[1] : high[1], low[0] : high[0]] = True
    bare[mask] = np.median(bare[:60].reshape(-1, 3), axis=0).astype(np.uint8)
    pose, state = locate(Sight(bare), locator, gallery=gallery)
    assert pose is not None
    after, state = locate(Sight(before.image), locator, state, gallery)
    assert after is not None
    assert state.followed
    assert state.prior is after
    assert set(pose.quads) <= set(after.quads)
    for cell, quad in pose.quads.items():
        assert np.abs(after.quads[cell] - quad).max() < 0.08 * pose.tile_side_px


def test_a_place_where_the_board_is_no_more_only_names_its_cells(locator: Locator) -> None:
    board = toy_board(24, CELLS)
    gallery = Faces(board.faces)
    pose, state = locate(Sight(board.image), locator, gallery=gallery)
    assert pose is not None
    assert state.place is not None
    aside = {cell: quad + 400 for cell, quad in pose.quads.items()}
    elsewhere = replace(
        state.place, look=SmallPicture.of(Sight(board.image[::2])), pose=replace(pose, quads=aside)
    )
    again, after = locate(Sight(board.image), locator, LocatorState(elsewhere), gallery)
    assert again is not None
    assert not after.followed
    assert len(again.quads) == len(pose.quads)


def test_a_closer_look_that_sees_nothing_keeps_what_was_seen_from_afar(
    locator: Locator, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nothing:
        proposed = np.zeros((0, 4, 2)), np.zeros(0)

    measured: list[dict[tuple[int, int], NDArray[np.float64]]] = []
    monkeypatch.setattr("vision.locate.locator._closer", lambda *_: Nothing())
    monkeypatch.setattr("vision.locate.locator.measure_board", lambda *given: measured.append(given[3]))
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)
    quads = np.stack([200.0 + 40 * (square + np.array([x, 0])) for x in range(3)])
    weights = np.full(3, 0.9)
    (grown, *_) = find_lattices(quads, weights, (640, 480))
    _board_on(
        Sight(np.zeros((480, 640, 3), np.uint8)), locator, Heat.__new__(Heat), grown, quads, weights, False
    )
    assert len(measured[0]) == 3
