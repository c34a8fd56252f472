"""The crop of a close-up, and the conversion of its result back to the photograph."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.scenes.camera import look_at
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, Ortho
from vision.observation import Sight
from vision.pieces.piece_classifier import (
    FOOT_PX,
    PX_PER_TILE,
    SIDE_PX,
    Looks,
    LookSource,
    read_looks,
    take_looks,
)

SIZE_WH = (640, 480)
TILE_MM = 45.0


def camera_homography(elevation_deg: float) -> np.ndarray:
    """From lattice units to the pixels of a camera that looks at lattice (1, 1)."""
    target = np.array([TILE_MM, TILE_MM, 0.0])
    camera = look_at(target, 420.0, elevation_deg, 20.0, 5.0, 640.0, (0.0, 0.0), (319.5, 239.5), SIZE_WH)
    corners = np.array([(0, 0), (2, 0), (2, 2), (0, 2)], np.float64)
    px = camera.project(np.column_stack([corners * TILE_MM, np.zeros(4)]))
    rows = []
    for (x, y), (u, v) in zip(corners, px, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    return np.asarray(np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3))


def sight_of(image: np.ndarray, h: np.ndarray) -> LookSource:
    """A sight with nothing known of the print, but a mark in its mask at lattice (1, 1)."""
    view = np.zeros((5 * CELL_PX, 5 * CELL_PX, 3), np.uint8)
    said = np.zeros((*view.shape[:2], 7), np.float32)
    at = round(2.5 * CELL_PX)
    said[at - 3 : at + 3, at - 3 : at + 3, 6] = 1.0
    return LookSource.of(
        Sight(image), h, Ortho(view, np.full(view.shape[:2], 255, np.uint8), (-1.5, -1.5)), said
    )


@pytest.mark.parametrize("elevation_deg", [35.0, 60.0, 80.0])
def test_a_look_stands_upright_on_its_foot(elevation_deg: float) -> None:
    h = camera_homography(elevation_deg)
    image = np.zeros((SIZE_WH[1], SIZE_WH[0], 3), np.uint8)
    x, y = np.round(apply_homography(h, np.array([[1.0, 1.0]]))[0]).astype(int)
    image[y - 2 : y + 3, x - 2 : x + 3] = 255
    looks = take_looks(sight_of(image, h), np.array([[1.0, 1.0]]))
    for channel in (0, 9):  # the photograph's mark, and that of the print
        rows, cols = np.nonzero(looks.pictures[0, channel] > 0.5)
        assert (cols.mean(), rows.mean()) == pytest.approx(FOOT_PX, abs=1.5)
    # What stands rises to the top of the look: a quarter turn of the look leaves the vertical 90 degrees off.
    up = looks.px_from_look[0][:, :2] @ np.array([0.0, -1.0])
    lean = apply_homography(h, np.array([[1.0, 1.0]]) + 0.2 * _away(h)) - apply_homography(
        h, np.array([[1.0, 1.0]])
    )
    assert up @ lean[0] > 0.9 * np.linalg.norm(up) * np.linalg.norm(lean[0])


def _away(h: np.ndarray) -> np.ndarray:
    """The lattice direction that leads away from the camera at (1, 1): the one in which tiles shrink."""
    slope = h[2, :2] / np.linalg.norm(h[2, :2])
    return np.asarray(slope * np.sign(h[2, 2]))


def test_a_tile_is_as_wide_in_every_look() -> None:
    h = camera_homography(90.0)
    looks = take_looks(sight_of(np.zeros((SIZE_WH[1], SIZE_WH[0], 3), np.uint8), h), np.array([[1.0, 1.0]]))
    per_px = np.linalg.norm(looks.px_from_look[0][:, 0])
    side_px = np.linalg.norm(
        apply_homography(h, np.array([2.0, 1.0])) - apply_homography(h, np.array([1.0, 1.0]))
    )
    assert side_px / per_px == pytest.approx(PX_PER_TILE, rel=0.02)


def test_where_it_touches_comes_back_to_the_photograph() -> None:
    h = camera_homography(55.0)
    looks = take_looks(sight_of(np.zeros((SIZE_WH[1], SIZE_WH[0], 3), np.uint8), h), np.array([[1.0, 1.0]]))

    def right_of_it(pictures: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        assert pictures.shape == (1, 10, SIDE_PX, SIDE_PX)
        return (
            np.full((1, 6), 1 / 6, np.float32), np.full((1, 1), 0.5, np.float32),
            np.full((1, 7), 1 / 7, np.float32), np.array([[0.1, 0.0]], np.float32),
        )  # fmt: skip

    seen = read_looks(looks, right_of_it)  # type: ignore[arg-type]
    expected = apply_homography(h, np.array([1.0, 1.0])) + looks.px_from_look[0][:, 0] * 0.1 * PX_PER_TILE
    assert seen.points_px[0] == pytest.approx(expected, abs=1e-3)


def test_nothing_to_look_at() -> None:
    nothing = Looks(
        np.zeros((0, 10, SIDE_PX, SIDE_PX), np.float32), np.zeros((0, 5), np.float32), np.zeros((0, 2, 3))
    )
    assert len(read_looks(nothing, None).kinds) == 0  # type: ignore[arg-type]


def test_what_is_a_piece_one_way_only_is_hardly_one() -> None:
    """The mirror image, whose foot is where it was, tells whether there is nothing, too, but not the kind."""
    assert FOOT_PX[0] == (SIDE_PX - 1) / 2
    pictures = np.zeros((1, 10, SIDE_PX, SIDE_PX), np.float32)
    pictures[0, 0, :, :36] = 1.0
    looks = Looks(pictures, np.zeros((1, 5), np.float32), np.zeros((1, 2, 3)))

    def bright_on_the_left(pictures: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        told = (0.1, 0.6, 0.3, 0.0, 0.0, 0.0) if pictures[0, 0, 0, 0] > 0 else (0.9, 0.0, 0.1, 0.0, 0.0, 0.0)
        sides = np.full((1, 7), 1 / 7, np.float32), np.zeros((1, 2), np.float32)
        return np.array([told], np.float32), np.zeros((1, 1), np.float32), *sides

    seen = read_looks(looks, bright_on_the_left)  # type: ignore[arg-type]
    assert seen.kinds[0, :3] == pytest.approx([0.5, 1 / 3, 1 / 6], abs=1e-4)
