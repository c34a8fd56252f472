"""Where and how an animal tile may lie of which only a part is seen."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from engine.pack import Pack
from tests.vision.tokens.test_token_reader import PRINT, SIDE_PX, picture_of, printed_tile
from vision.observation import Sight
from vision.tokens.pose_search import SearchArea, TokenPose, TokenShapes, likely_poses
from vision.tokens.search import BoardPhoto
from vision.tokens.templates import TokenFaces

QUAD = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE_PX - np.float32(0.5)


def table(image: np.ndarray, known: bool = True) -> BoardPhoto:
    return BoardPhoto(Sight(image), {(0, 0): QUAD}, PRINT if known else {}, SIDE_PX)


def poses_in(photo: BoardPhoto, uv: tuple[float, float], shapes: TokenShapes) -> list[TokenPose]:
    """The poses within 0.15 sides of ``uv``."""
    area = SearchArea.around(uv, 0.15, shapes)
    return likely_poses(area, shapes, *photo.view((0, 0), area.corners, area.size_px))


def test_one_half_covered_is_found_with_its_turn(pack: Pack, faces: TokenFaces) -> None:
    shapes = TokenShapes.of(faces.pictures, faces.side)
    for animal, turn_deg in (("lion", 30), ("zebra", 200), ("giraffe", 285)):
        image = picture_of(pack, animal, turn_deg, 0.8, place="middle", covered=0.4)
        best = poses_in(table(image), (0.42, 0.56), shapes)[0]
        assert math.dist(best.uv, (0.5, 0.5)) < 0.06
        assert abs((best.turn_deg - turn_deg + 180) % 360 - 180) <= 15


def test_bare_print_shows_none(faces: TokenFaces) -> None:
    shapes = TokenShapes.of(faces.pictures, faces.side)
    assert poses_in(table(printed_tile()), (0.5, 0.5), shapes) == []


@pytest.mark.parametrize("known", [True, False])
def test_the_rim_of_a_tile_and_an_unknown_face_do_not_change_the_pose(
    pack: Pack, faces: TokenFaces, known: bool
) -> None:
    shapes = TokenShapes.of(faces.pictures, faces.side)
    image = cv2.copyMakeBorder(
        picture_of(pack, "monkey", 0, 1.0), 0, 40, 0, 40, cv2.BORDER_CONSTANT, value=(90, 90, 90)
    )
    best = poses_in(table(np.asarray(image), known), pack.token_spot("se"), shapes)[0]
    assert best.turn_deg == 0 and math.dist(best.uv, pack.token_spot("se")) < 0.08
