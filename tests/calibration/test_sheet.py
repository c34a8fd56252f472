"""Faces of a sheet: equal ones count once, near-equal ones stay apart, and known ones are guessed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.sheet import SheetFace, group_faces, named_views
from engine.pack import load_pack
from models import OnnxModel, load
from tests.pictures import as_uint8, read_picture
from vision.tiles.gallery import MOST_VIEWS, GalleryError, build_gallery, with_views

NAMES = ("CS3-E", "CS3-G", "CS3-Z", "CS7-L", "CS26-EE", "CS26-EG")
"""Designs that differ by one animal, and others."""


@pytest.fixture(scope="module")
def descriptor() -> OnnxModel:
    return load("descriptor")


@pytest.fixture(scope="module")
def prints() -> dict[str, np.ndarray]:
    pack = load_pack("savanna")
    faces = {}
    for name in NAMES:
        art = read_picture(pack.art_path(name))
        faces[name] = cv2.resize(art, (256, 256), interpolation=cv2.INTER_AREA)
    return faces


def photographed(face: np.ndarray, turn: int, seed: int) -> np.ndarray:
    """A print under a warm lamp, a little askew, turned clockwise."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0], [256, 0], [256, 256], [0, 256]], np.float32)
    H = cv2.getPerspectiveTransform(corners, corners + rng.normal(0, 3, (4, 2)).astype(np.float32))
    seen = cv2.warpPerspective(np.rot90(face, -turn).copy(), H, (256, 256), borderMode=cv2.BORDER_REPLICATE)
    lit = seen * np.array([0.82, 0.93, 1.05]) + rng.normal(0, 4, seen.shape)
    return as_uint8(cv2.GaussianBlur(lit, (0, 0), 0.8))


def test_equal_faces_count_once_and_near_equal_ones_stay_two(
    descriptor: OnnxModel, prints: dict[str, np.ndarray]
) -> None:
    order = ["CS3-E", "CS3-G", "CS3-E", "CS7-L", "CS3-Z", "CS26-EE", "CS26-EG", "CS7-L", "CS3-E"]
    tiles = np.stack([photographed(prints[name], n % 4, n) for n, name in enumerate(order)])
    faces = group_faces(tiles, descriptor)
    assert [len(face.views) for face in faces] == [3, 1, 2, 1, 1, 1]
    assert all(face.guesses == () for face in faces)
    first = faces[0].views.astype(int)
    assert np.abs(first[0] - first[1]).mean() < 16  # turned like the first
    assert group_faces(np.zeros((0, 256, 256, 3), np.uint8), descriptor) == ()


def test_known_faces_are_guessed_with_their_turn(
    descriptor: OnnxModel, prints: dict[str, np.ndarray]
) -> None:
    known = build_gallery("savanna", prints.items(), descriptor)
    tiles = np.stack([photographed(prints[name], n % 4, 20 + n) for n, name in enumerate(NAMES)])
    faces = group_faces(tiles, descriptor, known)
    for n, (name, face) in enumerate(zip(NAMES, faces, strict=True)):
        assert face.sure is not None
        assert (face.sure.design, face.sure.turn) == (name, n % 4)
    views = named_views([(face, face.guesses[0].design, face.guesses[0].turn) for face in faces])
    for (name, view), wanted in zip(views, NAMES, strict=True):
        assert name == wanted
        assert np.abs(view.astype(int) - prints[name]).mean() < 30
    noise = np.random.default_rng(1).integers(0, 255, (1, 256, 256, 3)).astype(np.uint8)
    (stranger,) = group_faces(noise, descriptor, known)
    assert stranger.sure is None


def test_a_gallery_grows_to_a_few_pictures_of_a_design(
    descriptor: OnnxModel, prints: dict[str, np.ndarray]
) -> None:
    first = with_views(None, "savanna", [("CS3-E", prints["CS3-E"])], descriptor)
    shades = [np.full((256, 256, 3), 10 * n, np.uint8) for n in range(1, 7)]
    grown = with_views(first, "savanna", [("CS3-E", s) for s in shades] + [("CS7-L", shades[0])], descriptor)
    assert grown.designs == ("CS3-E", "CS7-L")
    assert np.bincount(grown.face_design).tolist() == [MOST_VIEWS, 1]
    kept = [int(face[0, 0, 0]) for face in grown.faces]
    assert kept[1:] == [40, 50, 60, 10]  # the newest, besides the one it was enrolled by
    assert np.array_equal(grown.faces[0], first.faces[0])
    with pytest.raises(GalleryError):
        with_views(None, "savanna", [], descriptor)
    assert SheetFace(grown.faces[:1]).sure is None


def test_a_gallery_keeps_one_picture_of_each_drawing(descriptor: OnnxModel) -> None:
    shades = np.stack([np.full((256, 256, 3), 10 * n, np.uint8) for n in range(7)])
    common, rare = SheetFace(shades[:6]), SheetFace(shades[6:])
    views = named_views([(rare, "CS3-E", 0), (common, "CS3-E", 0)])
    grown = with_views(None, "savanna", views, descriptor)
    kept = {int(face[0, 0, 0]) for face in grown.faces}
    assert len(grown.faces) == MOST_VIEWS
    assert {0, 60} <= kept


def test_counts_of_a_set_tell_twins_apart(descriptor: OnnxModel, prints: dict[str, np.ndarray]) -> None:
    """The known pictures are nearly equal; the rare face's picture is the sharper one."""
    rare, common = "CS3-E", "CS3-G"
    mixed = (0.5 * prints[rare] + 0.5 * prints[common]).astype(np.uint8)
    blurred = as_uint8(cv2.GaussianBlur(mixed, (0, 0), 3.0))
    known = build_gallery("savanna", [(rare, mixed), (common, blurred)], descriptor)
    tiles = [photographed(prints[rare], 0, 40), *(photographed(prints[common], n, 41 + n) for n in range(3))]
    counts = {rare: 1, common: 3}
    faces = group_faces(np.stack(tiles), descriptor, known, counts)
    assert [len(face.views) for face in faces] == [1, 3]
    assert [face.guesses[0].design for face in faces] == [rare, common]
    alone = group_faces(np.stack(tiles), descriptor, known)
    assert [face.guesses[0].design for face in alone] == [rare, rare]
