"""The board from above: places agree with the photo, and standing things lean the way they do."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.train.scenes import look_at
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, HEIGHT_TILES, lean_at, likely_focal_px, ortho_view
from vision.observation import Sight

TILE_MM = 45.0
SIZE = (1280, 720)


def lattice_to_px(elevation: float, yaw: float, focal: float) -> tuple[np.ndarray, object]:
    camera = look_at(
        np.array([67.5, 67.5]), 700.0, elevation, yaw, 0.0, focal, (0.0, 0.0), (639.5, 359.5), SIZE
    )
    corners = np.array([(0, 0), (3, 0), (3, 3), (0, 3)], np.float64)
    px = camera.project(np.c_[corners * TILE_MM, np.zeros(4)])

    return np.asarray(
        cv2.getPerspectiveTransform(corners.astype(np.float32), px.astype(np.float32)), np.float64
    ), camera


@pytest.mark.parametrize(("elevation", "yaw"), [(35, 0), (50, 30), (50, 200), (75, 120), (88, 10)])
@pytest.mark.parametrize("focal", [800.0, 1280.0, 2000.0])
def test_a_meeple_leans_as_the_camera_sees_it(elevation: float, yaw: float, focal: float) -> None:
    h, camera = lattice_to_px(elevation, yaw, focal)
    at = np.array([[0.5, 0.5], [2.5, 0.7], [1.4, 2.6]])
    top = np.c_[at * TILE_MM, np.full(3, HEIGHT_TILES * TILE_MM)]
    seen = apply_homography(np.linalg.inv(h), camera.project(top))  # type: ignore[attr-defined]
    lean = lean_at(h, SIZE, at)
    assert np.linalg.norm(lean - (seen - at), axis=1).max() < 0.12


def test_the_focal_length_is_found_where_perspective_is_strong() -> None:
    for focal in (800.0, 1280.0, 2000.0):
        h, _ = lattice_to_px(40, 25, focal)
        assert likely_focal_px(h, SIZE) == pytest.approx(focal, rel=0.08)


def test_places_in_the_view_are_lattice_places() -> None:
    h, _ = lattice_to_px(60, 20, 1280.0)
    photo = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    x, y = apply_homography(h, np.array([[1.5, 0.25]]))[0].round().astype(int)
    photo[y - 3 : y + 4, x - 3 : x + 4] = 255
    view = ortho_view(Sight(photo), h, [(0, 0), (1, 0), (2, 2)], 60.0)
    assert view.image.shape == (6 * CELL_PX, 6 * CELL_PX, 3)
    ys, xs = np.nonzero(view.image[..., 0] > 128)
    spot = view.lattice_of(np.array([[xs.mean(), ys.mean()]]))[0]
    assert spot == pytest.approx((1.5, 0.25), abs=0.02)


def test_places_outside_the_photo_are_marked_as_unseen() -> None:
    h, _ = lattice_to_px(70, 0, 4000.0)
    photo = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    view = ortho_view(Sight(photo), h, [(x, y) for x in range(-6, 9) for y in range(-6, 9)], 200.0)
    assert view.seen.min() == 0
    assert view.seen.max() == 255
    assert (view.image[view.seen == 0] == 0).all()
    inside = view.image[view.seen == 255]
    assert np.median(inside) == 90


def test_a_photo_that_reaches_above_the_horizon_still_shows_its_board() -> None:
    """The board lies in the lower third of a picture that was taken from low down."""
    camera = look_at(
        np.array([67.5, 67.5]), 700.0, 22, 0, 0.0, 500.0, (0.0, 0.0), (639.5, 639.5), (1280, 960)
    )
    corners = np.array([(0, 0), (3, 0), (3, 3), (0, 3)], np.float64)
    px = np.add(camera.project(np.c_[corners * TILE_MM, np.zeros(4)]), (0.0, 200.0))
    h = np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), px.astype(np.float32)), np.float64)
    top = np.linalg.inv(h) @ (640.0, 0.0, 1.0)
    bottom = np.linalg.inv(h) @ (640.0, 959.0, 1.0)
    assert top[2] * bottom[2] < 0  # the picture's upper side lies beyond the table's horizon
    view = ortho_view(
        Sight(np.full((960, 1280, 3), 90, np.uint8)), h, [(x, y) for x in range(3) for y in range(3)], 60.0
    )
    inner = slice(int(1.6 * CELL_PX), int(4.4 * CELL_PX))
    assert (view.seen[inner, inner] == 255).all()
