"""The marker mat: its plane from any markers in view, and what it keeps out of the board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.toy_boards import toy_faces
from vision.locate.locator import Locator, locate
from vision.locate.marker_mat import (
    RIM_MM,
    SHEET_MM,
    MatMarker,
    find_mat,
    marker_picture,
    markers_of,
    play_area_mm,
)
from vision.observation import Sight

PX_PER_MM = 3.0
BESIDE_MM = 160.0
"""Table on every side of the mat."""


def table(columns: int, rows: int, leave_out: tuple[int, ...] = ()) -> NDArray[np.uint8]:
    """The mat on a grey table, seen straight from above."""
    wide, tall = columns * SHEET_MM[0], rows * SHEET_MM[1]
    picture = np.full((px(tall + 2 * BESIDE_MM), px(wide + 2 * BESIDE_MM), 3), 96, np.uint8)
    picture[px(BESIDE_MM) : px(BESIDE_MM + tall), px(BESIDE_MM) : px(BESIDE_MM + wide)] = 236
    for marker in markers_of(columns, rows):
        if marker.number not in leave_out:
            paste(picture, marker_picture(marker.number), marker)
    return picture


def px(mm: float) -> int:
    return round(mm * PX_PER_MM)


def paste(picture: NDArray[np.uint8], what: NDArray[np.uint8], where: MatMarker) -> None:
    x, y = (px(v + BESIDE_MM) for v in where.corners_mm[0])
    side = px(where.corners_mm[1, 0] - where.corners_mm[0, 0])
    small = cv2.resize(what, (side, side), interpolation=cv2.INTER_AREA)
    picture[y : y + side, x : x + side] = small[..., None] if small.ndim == 2 else small


def seen(picture: NDArray[np.uint8], low: float = 0.55) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The table by a slanted camera, and the homography from the mat's millimetres to its pixels."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    shown = np.array([[330, 80], [960, 50], [1260, 690], [20, 60 + 1100 * low]], np.float32)
    H = cv2.getPerspectiveTransform(corners, shown)
    image = cv2.warpPerspective(picture, H, (1280, 720), flags=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0, 4, image.shape)
    to_px = np.array([[PX_PER_MM, 0, px(BESIDE_MM)], [0, PX_PER_MM, px(BESIDE_MM)], [0, 0, 1]])
    return np.clip(image + noise, 0, 255).astype(np.uint8), H @ to_px


def test_every_number_is_one_place() -> None:
    places: dict[int, tuple[float, ...]] = {}
    for columns in range(1, 5):
        for rows in range(1, 5):
            markers = list(markers_of(columns, rows))
            boxes = np.array([m.corners_mm[[0, 2]].ravel() for m in markers])
            assert len({m.number for m in markers}) == len(markers)
            assert boxes.min() > 2
            assert (boxes[:, 2] < columns * SHEET_MM[0] - 2).all()
            assert (boxes[:, 3] < rows * SHEET_MM[1] - 2).all()
            apart = np.maximum(
                boxes[:, None, :2] - boxes[None, :, 2:], boxes[None, :, :2] - boxes[:, None, 2:]
            )
            gaps = apart.max(axis=2) + 99 * np.eye(len(boxes))
            assert gaps.min() > 3
            for marker, box in zip(markers, boxes, strict=True):
                assert places.setdefault(marker.number, tuple(box)) == tuple(box)
    with pytest.raises(ValueError, match="1 to 4 sheets"):
        list(markers_of(5, 1))


@pytest.mark.parametrize("sheets", [(1, 1), (2, 2), (3, 2)])
def test_the_plane_is_found_with_its_play_area(sheets: tuple[int, int]) -> None:
    image, H = seen(table(*sheets))
    plane = find_mat(Sight(image))
    assert plane is not None
    assert plane.play_mm == play_area_mm(*sheets)
    x0, y0, x1, y1 = plane.play_mm
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [(x0 + x1) / 2, (y0 + y1) / 2]])
    wanted = cv2.perspectiveTransform(corners[None], H)[0]
    assert np.abs(plane.to_px(corners) - wanted).max() < 1.5
    assert np.allclose(plane.to_mm(plane.to_px(corners)), corners)


def test_a_few_markers_will_do_and_an_edge_unseen_is_open() -> None:
    every = [marker.number for marker in markers_of(2, 2)]
    north_and_west = {0, 4, 9, 20, 25}
    image, H = seen(table(2, 2, tuple(number for number in every if number not in north_and_west)))
    plane = find_mat(Sight(image))
    assert plane is not None
    assert plane.play_mm == (RIM_MM, RIM_MM, np.inf, np.inf)
    point = np.array([[300.0, 200.0]])
    assert np.abs(plane.to_px(point) - cv2.perspectiveTransform(point[None], H)[0]).max() < 4


def test_a_table_without_a_mat_has_none() -> None:
    rng = np.random.default_rng(2)
    assert find_mat(Sight(rng.integers(0, 255, (480, 640, 3)).astype(np.uint8))) is None
    assert find_mat(Sight(np.zeros((64, 64, 3), np.uint8))) is None
    image, _ = seen(table(2, 2, tuple(m.number for m in markers_of(2, 2))[2:]))
    assert find_mat(Sight(image)) is None  # two markers are too few


def lay(picture: NDArray[np.uint8], face: NDArray[np.uint8], x_mm: float, y_mm: float) -> None:
    paste(picture, face, MatMarker(-1, np.array([[x_mm, y_mm], [x_mm + 45, y_mm], [0, 0], [0, 0]])))


def test_only_tiles_on_the_mat_are_the_board() -> None:
    """Spare tiles laid out in a row beside the mat are more than the board, and are not it."""
    faces = toy_faces(8, 16)
    picture = table(2, 2)
    for number in range(6):
        lay(picture, faces[number], 150 + 45.6 * (number % 3), 120 + 45.6 * (number // 3))
    for number in range(10):
        lay(picture, faces[6 + number], 20 + 45.6 * (number % 5), 392 + 45.6 * (number // 5))
    image, H = seen(picture)
    pose, _ = locate(Sight(image), Locator.load())
    assert pose is not None
    assert len(pose.quads) == 6
    wanted = cv2.perspectiveTransform(np.array([[[150.0, 120.0]]]), H)[0, 0]
    assert np.linalg.norm(pose.quads[(0, 0)][0] - wanted) < 4
