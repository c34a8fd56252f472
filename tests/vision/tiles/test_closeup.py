"""A single tile in a picture of its own."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.train.decks import make_deck
from tests.pictures import as_uint8
from tests.vision.plain_descriptor import plain_descriptor
from vision.geometry.homography import SQUARE
from vision.observation import Sight
from vision.tiles.closeup import candidate_quads, read_closeup
from vision.tiles.gallery import build_gallery


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_tile_on_a_table_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    faces = make_deck(rng, 5, 128, "game").faces
    gallery = build_gallery("toy", ((f"F{i}", face) for i, face in enumerate(faces)), plain_descriptor())
    quad = np.array([[150, 90], [420, 110], [400, 390], [130, 360]], np.float32)
    h = cv2.getPerspectiveTransform(SQUARE * 128, quad)
    turned = np.ascontiguousarray(np.rot90(faces[3], -1))
    image = as_uint8(cv2.warpPerspective(turned, h, (560, 480), borderValue=(60, 70, 80)))
    found = read_closeup(Sight(image), gallery, plain_descriptor())
    assert (found.design, found.rot) == ("F3", 1)
    assert 0 < found.confidence <= 1


def test_an_empty_picture_still_gives_squares() -> None:
    quads = candidate_quads(Sight(np.full((64, 90, 3), 128, np.uint8)))
    assert quads.shape[1:] == (4, 2)
    assert len(quads) >= 7
