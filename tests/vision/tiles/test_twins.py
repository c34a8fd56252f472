"""Between faces that differ in a part only that part decides, and nothing if it is covered."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models import load
from tests.vision.toy_boards import toy_faces
from vision.observation import CellReading, Sight
from vision.tiles.gallery import Gallery, build_gallery
from vision.tiles.twins import told_apart, twins_of

SIDE = 160
PLAIN, MARKED, OTHER = range(3)


def marked(face: np.ndarray, at: tuple[int, int] = (30, 34)) -> np.ndarray:
    """The face with a coat of arms."""
    shown = face.copy()
    cv2.rectangle(shown, at, (at[0] + 26, at[1] + 30), (240, 240, 240), -1)
    cv2.rectangle(shown, at, (at[0] + 13, at[1] + 15), (200, 60, 20), -1)
    return shown


@pytest.fixture(scope="module")
def faces() -> list[np.ndarray]:
    plain, other = toy_faces(4, 2, SIDE)
    return [plain, marked(plain), other]


@pytest.fixture(scope="module")
def gallery(faces: list[np.ndarray]) -> Gallery:
    # The marked face was scanned turned, shifted, and in other light.
    shift = np.array([[1, 0, 2], [0, 1, -1]], np.float32)
    scan = cv2.warpAffine(faces[MARKED], shift, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    scan = np.clip(np.rot90(scan, -1) * 0.85 + 12, 0, 255).astype(np.uint8)
    return build_gallery(
        "toy", [("plain", faces[PLAIN]), ("marked", scan), ("other", faces[OTHER])], load("descriptor")
    )


def reading(share: float) -> CellReading:
    """A reading of the tile in the middle of a picture: plain or, turned back, marked."""
    logs = np.full((3, 4), -14.0, np.float32)
    logs[PLAIN, 0], logs[MARKED, 3] = np.log(1 - share), np.log(share)
    quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE + 20
    return CellReading((0, 0), quad, logs, 9.0, print_known=1.0)


def photograph(face: np.ndarray, seed: int = 0) -> Sight:
    """A photograph of a tile on a table in dim, warm light, with noise."""
    image = np.full((SIDE + 40, SIDE + 40, 3), 90.0)
    image[20:-20, 20:-20] = face
    lit = cv2.GaussianBlur(image, (0, 0), 1.2) * (0.5, 0.6, 0.75) + (10, 12, 16)
    lit += np.random.default_rng(seed).normal(0, 4, lit.shape)
    return Sight(np.clip(lit, 0, 255).astype(np.uint8))


def chance_of_mark(
    sight: Sight, one: CellReading, gallery: Gallery, covered: np.ndarray | None = None
) -> float:
    masks = {} if covered is None else {(0, 0): covered}
    told = told_apart(sight, {(0, 0): one}, masks, gallery)[0, 0].log_probs
    assert np.exp(told).sum() == pytest.approx(np.exp(one.log_probs).sum(), abs=0.01)
    return float(np.exp(told[MARKED, 3]))


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_the_part_decides_whatever_the_whole_tile_seems(
    share: float, gallery: Gallery, faces: list[np.ndarray]
) -> None:
    assert chance_of_mark(photograph(faces[PLAIN]), reading(share), gallery) < 0.2
    assert chance_of_mark(photograph(faces[MARKED]), reading(share), gallery) > 0.8


def test_a_covered_part_leaves_the_tile_open(gallery: Gallery, faces: list[np.ndarray]) -> None:
    covered = np.zeros((12, 12), np.bool_)
    covered[1:6, 1:6] = True
    shown = faces[MARKED].copy()
    for paint in ((30, 200, 230), (240, 240, 240)):  # the second has the colour of the mark
        shown[16:76, 16:76] = paint
        assert 0.25 < chance_of_mark(photograph(shown), reading(0.5), gallery, covered) < 0.75


def test_a_print_that_lies_off_its_place_is_no_other(gallery: Gallery, faces: list[np.ndarray]) -> None:
    for design, sign in ((PLAIN, -1), (MARKED, 1)):
        moved = np.roll(faces[design], (6, -5), axis=(0, 1))
        assert sign * (chance_of_mark(photograph(moved), reading(0.5), gallery) - 0.5) > 0.3


def test_a_face_that_nearly_equals_itself_turned_is_its_own_twin(faces: list[np.ndarray]) -> None:
    half = faces[PLAIN].copy()
    half[SIDE // 2 :] = np.rot90(half, 2)[SIDE // 2 :]
    gallery = build_gallery("toy", [("plain", marked(half)), ("other", faces[OTHER])], load("descriptor"))
    logs = np.full((2, 4), -14.0, np.float32)
    logs[PLAIN, 0], logs[PLAIN, 2] = np.log(0.3), np.log(0.7)
    one = CellReading((0, 0), reading(0.5).corners_px, logs, 9.0, print_known=1.0)
    covered = np.zeros((12, 12), np.bool_)
    covered[2:5, 2:6] = covered[7:10, 6:10] = True
    for masks, least, most in (({}, 0.9, 1.0), ({(0, 0): covered}, 0.25, 0.75)):
        told = told_apart(photograph(marked(half)), {(0, 0): one}, masks, gallery)[0, 0].log_probs
        assert least < np.exp(told[PLAIN, 0]) < most


def test_parts_that_contradict_each_other_leave_the_tile_open(faces: list[np.ndarray]) -> None:
    # The two scans differ in a second mark, which another drawing of the marked face has not.
    plain = marked(faces[PLAIN], (100, 100))
    pictures = [("plain", plain), ("marked", faces[MARKED]), ("other", faces[OTHER])]
    gallery = build_gallery("toy", pictures, load("descriptor"))
    logs = np.full((3, 4), -14.0, np.float32)
    logs[PLAIN, 0] = logs[MARKED, 0] = np.log(0.5)
    one = CellReading((0, 0), reading(0.5).corners_px, logs, 9.0, print_known=1.0)
    both = marked(faces[MARKED], (100, 100))
    told = told_apart(photograph(both), {(0, 0): one}, {}, gallery)[0, 0].log_probs
    assert 0.25 < float(np.exp(told[MARKED, 0])) < 0.75


def test_faces_that_differ_all_over_are_no_twins(gallery: Gallery) -> None:
    assert twins_of(gallery, PLAIN, OTHER, 0) is None
    assert twins_of(gallery, PLAIN, MARKED, 3) is not None
