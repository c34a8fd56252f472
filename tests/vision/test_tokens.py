"""Animal tiles: which animal, whichever way round, under any light, with something on it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.pack import Pack, load_pack
from vision.observation import BoardPose, CellReading, PieceReading
from vision.tokens import TokenFaces, TokenReader

SIDE_PX = 80


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


@pytest.fixture(scope="module")
def faces(pack: Pack) -> TokenFaces:
    faces = TokenFaces.of(pack)
    assert faces is not None
    return faces


def picture_of(
    pack: Pack, animal: str, turn_deg: float, light: float, *, covered: bool = False
) -> np.ndarray:
    """A tile of SIDE_PX with a token on its south-east corner."""
    rng = np.random.default_rng(3)
    image = rng.integers(90, 160, (SIDE_PX, SIDE_PX, 3)).astype(np.uint8)
    art = cv2.imread(str(pack.token_art_path(animal)))
    assert art is not None
    size = round(SIDE_PX * pack.token_mm / pack.tile_mm)
    art = cv2.resize(art, (size, size), interpolation=cv2.INTER_AREA)
    turn = cv2.getRotationMatrix2D(((size - 1) / 2, (size - 1) / 2), turn_deg, 1.0)
    image[-size:, -size:] = cv2.warpAffine(art, turn, (size, size), borderMode=cv2.BORDER_REPLICATE)
    if covered:
        image[-size:, -size // 3 :] = (30, 30, 200)
    return np.clip(image * light, 0, 255).astype(np.uint8)


def read(pack: Pack, faces: TokenFaces, image: np.ndarray) -> PieceReading:
    quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE_PX - np.float32(0.5)
    pose = BoardPose(np.diag([SIDE_PX, SIDE_PX, 1.0]), {(0, 0): quad}, (SIDE_PX, SIDE_PX), 1.0)
    cell = CellReading((0, 0), quad, np.zeros((1, 4), np.float32), 5.0)
    uv = pack.token_spot("se")
    point = (uv[0] * SIDE_PX, uv[1] * SIDE_PX)
    token = PieceReading("token", None, "lying", point, uv, 0.9)
    return TokenReader(faces).read(image, pose, {(0, 0): cell}, [token])[0]


@pytest.mark.parametrize("animal", ["elephant", "giraffe", "lion", "monkey", "zebra"])
def test_each_animal_is_read_whichever_way_round_and_under_any_light(
    pack: Pack, faces: TokenFaces, animal: str
) -> None:
    for turn_deg, light in ((0, 1.0), (94, 0.4), (180, 1.3), (265, 0.7)):
        token = read(pack, faces, picture_of(pack, animal, turn_deg, light))
        assert token.animal == animal
        assert token.animal_probs[animal] > 0.8
        assert sum(token.animal_probs.values()) == pytest.approx(1.0)


def test_an_animal_is_read_with_a_third_of_it_hidden(pack: Pack, faces: TokenFaces) -> None:
    for animal in pack.tokens:
        assert read(pack, faces, picture_of(pack, animal, 90, 0.9, covered=True)).animal == animal


def test_a_pack_without_animal_tiles_has_none_to_read() -> None:
    assert TokenFaces.of(load_pack("hunters-gatherers-2020")) is None


def test_a_token_on_an_unchanged_tile_is_not_looked_at_again(pack: Pack, faces: TokenFaces) -> None:
    quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE_PX - np.float32(0.5)
    pose = BoardPose(np.diag([SIDE_PX, SIDE_PX, 1.0]), {(0, 0): quad}, (SIDE_PX, SIDE_PX), 1.0)
    cells = {(0, 0): CellReading((0, 0), quad, np.zeros((1, 4), np.float32), 5.0)}
    uv = pack.token_spot("se")
    token = PieceReading("token", None, "lying", (uv[0] * SIDE_PX, uv[1] * SIDE_PX), uv, 0.9)
    reader = TokenReader(faces)
    lion = reader.read(picture_of(pack, "lion", 0, 1.0), pose, cells, [token])[0]
    other = picture_of(pack, "zebra", 0, 1.0)
    assert reader.read(other, pose, cells, [token])[0].animal == lion.animal == "lion"
    fresh = {(0, 0): CellReading((0, 0), quad, np.zeros((1, 4), np.float32), 5.0)}
    assert reader.read(other, pose, fresh, [token])[0].animal == "zebra"
