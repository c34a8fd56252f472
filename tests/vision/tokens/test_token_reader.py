"""Animal tiles: which animal, whichever way round, under any light, with something on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from engine.pack import Pack, load_pack
from models import load
from vision.observation import BoardPose, CellReading, PieceReading, Sight
from vision.tiles.reprojection import ExpectedFace
from vision.tokens.search import TokenChoice, choose
from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader

SIDE_PX = 80


FLUSH, MIDDLE = "flush", "middle"


def printed_tile() -> np.ndarray:
    """The print of a tile of SIDE_PX: patches of paper colours."""
    patches = np.random.default_rng(3).integers(90, 200, (8, 8, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(patches, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_LINEAR), np.uint8)


PRINT = {(0, 0): ExpectedFace(printed_tile(), 0)}


def picture_of(
    pack: Pack, animal: str, turn_deg: float, light: float, *, place: str = FLUSH, covered: float = 0.0
) -> np.ndarray:
    """The tile with a token on its south-east corner, or in its middle, turned clockwise."""
    image = printed_tile().astype(np.float32)
    art = cv2.imread(str(pack.art_path(f"token-{animal}")), cv2.IMREAD_UNCHANGED)
    assert art is not None and pack.token_mm is not None
    size = round(SIDE_PX * pack.token_mm / pack.tile_mm)
    art = cv2.resize(art, (size, size), interpolation=cv2.INTER_AREA)
    turn = cv2.getRotationMatrix2D(((size - 1) / 2, (size - 1) / 2), -turn_deg, 1.0)
    turned = cv2.warpAffine(art, turn, (size, size)).astype(np.float32)
    cover = turned[..., 3:] / 255
    at = SIDE_PX - size if place == FLUSH else (SIDE_PX - size) // 2
    there = image[at : at + size, at : at + size]
    there += cover * (turned[..., :3] - there)
    image[at : at + size, at + size - round(covered * size) : at + size] = (30, 30, 200)
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)


def reader_of(faces: TokenFaces) -> TokenReader:
    return TokenReader(faces, load("tokens"))


def seen(pack: Pack, place: str) -> tuple[BoardPose, PieceReading]:
    quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE_PX - np.float32(0.5)
    pose = BoardPose(np.diag([SIDE_PX, SIDE_PX, 1.0]), {(0, 0): quad}, (SIDE_PX, SIDE_PX), 1.0)
    uv = pack.token_spot("se") if place == FLUSH else (0.5, 0.5)
    return pose, PieceReading("token", None, "lying", (uv[0] * SIDE_PX, uv[1] * SIDE_PX), uv, 0.9)


def cell_of(pose: BoardPose) -> CellReading:
    return CellReading((0, 0), pose.quads[0, 0], np.zeros((1, 4), np.float32), 5.0)


def read(pack: Pack, faces: TokenFaces, image: np.ndarray, place: str = FLUSH) -> PieceReading:
    pose, token = seen(pack, place)
    pieces, _ = reader_of(faces).read(Sight(image), pose, {(0, 0): cell_of(pose)}, [token], PRINT)
    return pieces[0]


def look_at_hidden_middle(
    faces: TokenFaces, pose: BoardPose, image: np.ndarray, pieces: list[PieceReading]
) -> tuple[PieceReading, ...]:
    """The reading of a tile that was bare in the previous picture, after its middle is hidden."""
    hidden = np.zeros((10, 10), np.bool_)
    hidden[3:7, 3:7] = True
    reader = reader_of(faces)
    reader.read(Sight(printed_tile()), pose, {(0, 0): cell_of(pose)}, [], PRINT)
    cells = {(0, 0): replace(cell_of(pose), hidden=hidden)}
    return reader.read(Sight(image), pose, cells, pieces, PRINT, lambda _: [(0.5, 0.5)])[0]


@pytest.mark.parametrize("animal", ["elephant", "giraffe", "lion", "monkey", "zebra"])
def test_each_animal_is_read_where_it_lies_and_under_any_light(
    pack: Pack, faces: TokenFaces, animal: str
) -> None:
    for turn_deg, light, place in (
        (0, 1.0, FLUSH),
        (4, 0.4, FLUSH),
        (-5, 1.2, FLUSH),
        (94, 0.7, MIDDLE),
        (262, 1.0, MIDDLE),
    ):
        token = read(pack, faces, picture_of(pack, animal, turn_deg, light, place=place), place)
        assert token.animal == animal
        assert token.animal_probs[animal] > 0.8
        assert sum(token.animal_probs.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("covered", [0.33, 0.66])
def test_an_animal_is_read_by_what_is_left_in_sight(pack: Pack, faces: TokenFaces, covered: float) -> None:
    for animal in pack.tokens:
        token = read(pack, faces, picture_of(pack, animal, 3, 0.9, covered=covered))
        assert (token.animal, token.confidence > 0.9) == (animal, True)


def test_the_artwork_says_whether_a_doubtful_one_is_there(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, FLUSH)
    doubtful = replace(token, confidence=0.1)
    there, _ = reader_of(faces).read(
        Sight(picture_of(pack, "lion", 0, 1.0)), pose, {(0, 0): cell_of(pose)}, [doubtful], PRINT
    )
    assert [piece.animal for piece in there] == ["lion"]
    assert there[0].confidence > 0.9
    read, hints = reader_of(faces).read(
        Sight(printed_tile()), pose, {(0, 0): cell_of(pose)}, [doubtful], PRINT
    )
    assert read == ()
    assert [hint.kind for hint in hints] == ["token"]


def test_an_unseen_animal_tile_is_looked_for_where_the_print_is_hidden(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, FLUSH)
    hidden = np.zeros((10, 10), np.bool_)
    hidden[6:, 6:] = True
    cell = replace(cell_of(pose), hidden=hidden)

    def look(image: np.ndarray, now: CellReading) -> tuple[tuple[PieceReading, ...], ...]:
        return reader_of(faces).read(Sight(image), pose, {(0, 0): now}, [], PRINT)

    read, hints = look(picture_of(pack, "zebra", 0, 1.0), cell)
    assert [(piece.animal, piece.lattice_xy) for piece in read] == [("zebra", token.lattice_xy)]
    assert hints == ()
    read, hints = look(printed_tile(), cell)
    assert read == ()
    assert [hint.lattice_xy for hint in hints] == [token.lattice_xy]


def test_one_laid_under_ones_eyes_is_found_in_sight(pack: Pack, faces: TokenFaces) -> None:
    pose, _ = seen(pack, FLUSH)
    in_sight = replace(cell_of(pose), hidden=np.zeros((10, 10), np.bool_))
    image = picture_of(pack, "monkey", 0, 1.0)
    reader = reader_of(faces)
    assert reader.read(Sight(image), pose, {(0, 0): in_sight}, [], PRINT) == ((), ()), (
        "a photograph's is not searched"
    )
    anew = replace(in_sight, log_probs=in_sight.log_probs.copy())
    read, _ = reader.read(Sight(image), pose, {(0, 0): anew}, [], PRINT)
    assert [piece.animal for piece in read] == ["monkey"]


def test_one_that_lies_beside_where_it_was_doubted_is_found_there(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, MIDDLE)
    beside = replace(token, confidence=0.3, point_px=(0.66 * SIDE_PX, 0.5 * SIDE_PX), lattice_xy=(0.66, 0.5))
    image = picture_of(pack, "zebra", 75, 1.0, place=MIDDLE)
    reader = reader_of(faces)
    reader.read(Sight(printed_tile()), pose, {(0, 0): cell_of(pose)}, [], PRINT)
    read, _ = reader.read(Sight(image), pose, {(0, 0): cell_of(pose)}, [beside], PRINT)
    assert [piece.animal for piece in read] == ["zebra"]
    assert read[0].lattice_xy == pytest.approx((0.5, 0.5), abs=0.05)


def test_one_taken_for_where_none_fits_gives_way_to_one_that_fits_at_a_spot(
    pack: Pack, faces: TokenFaces
) -> None:
    pose, token = seen(pack, MIDDLE)
    astray = replace(token, confidence=0.95, point_px=(0.26 * SIDE_PX, 0.4 * SIDE_PX), lattice_xy=(0.26, 0.4))
    meeple = replace(token, kind="meeple", color="red", pose="standing", lattice_xy=(0.1, 0.7))
    image = picture_of(pack, "lion", 30, 1.0, place=MIDDLE)
    read = look_at_hidden_middle(faces, pose, image, [astray, meeple])
    tokens = [(piece.animal, piece.lattice_xy) for piece in read if piece.kind == "token"]
    ((animal, at),) = tokens
    assert animal == "lion"
    assert at == pytest.approx((0.5, 0.5), abs=0.05)


@pytest.mark.parametrize("differs", [True, False])
def test_an_unseen_animal_tile_is_found_though_it_hardly_differs_from_the_print(
    pack: Pack, faces: TokenFaces, differs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not differs:
        monkeypatch.setattr("vision.tokens.search.likely_poses", lambda *_: [])
    pose, _ = seen(pack, MIDDLE)
    image = picture_of(pack, "lion", 30, 1.0, place=MIDDLE)
    read = look_at_hidden_middle(faces, pose, image, [])
    assert [piece.animal for piece in read] == ["lion"]


def test_an_object_that_hides_the_print_is_no_animal_tile(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, FLUSH)
    image = printed_tile()
    image[56:76, 50:70] = (30, 30, 200)
    pieces, hints = reader_of(faces).read(
        Sight(image), pose, {(0, 0): cell_of(pose)}, [replace(token, confidence=0.5)], PRINT
    )
    assert pieces == ()
    assert len(hints) == 1


def test_one_beside_a_meeple_that_lies_anyhow_may_not_be_found(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, MIDDLE)
    likely = replace(token, confidence=0.7)
    meeple = replace(token, kind="meeple", color="red", pose="standing", lattice_xy=(0.5, 0.8))
    for others, reported in (([meeple], True), ([], False)):
        pieces, _ = reader_of(faces).read(
            Sight(printed_tile()), pose, {(0, 0): cell_of(pose)}, [likely, *others], PRINT
        )
        assert any(piece.kind == "token" for piece in pieces) is reported


def test_an_unlikely_one_that_lies_on_no_tile_is_no_more_than_a_hint(pack: Pack, faces: TokenFaces) -> None:
    pose, token = seen(pack, FLUSH)
    away = replace(token, lattice_xy=(3.5, 3.5))
    for sure, told in ((0.1, False), (0.7, True)):
        doubtful = replace(away, confidence=sure)
        read, hints = reader_of(faces).read(
            Sight(printed_tile()), pose, {(0, 0): cell_of(pose)}, [doubtful], PRINT
        )
        assert (list(read), list(hints)) == (([doubtful], []) if told else ([], [doubtful]))


def test_glare_and_a_dark_rim_do_not_change_the_animal(pack: Pack, faces: TokenFaces) -> None:
    for animal in pack.tokens:
        bleached = 140 + 0.42 * picture_of(pack, animal, 2, 1.0).astype(np.float32)
        assert read(pack, faces, np.asarray(np.minimum(bleached, 255), np.uint8)).animal == animal


def test_a_pack_without_animal_tiles_has_none_to_read() -> None:
    assert TokenFaces.of(load_pack("hunters-gatherers-2020"), load("descriptor")) is None


def test_a_token_is_looked_at_again_when_its_tile_is_or_what_peeps_out_changes(
    pack: Pack, faces: TokenFaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def counted(*args: Any) -> list[TokenChoice]:
        looks.append(args)
        return choose(*args)

    monkeypatch.setattr("vision.tokens.search.choose", counted)
    pose, token = seen(pack, FLUSH)
    cells = {(0, 0): cell_of(pose)}
    reader = reader_of(faces)

    def animal(image: np.ndarray, now: dict[tuple[int, int], CellReading]) -> tuple[str | None, int]:
        looks.clear()
        return reader.read(Sight(image), pose, now, [token], PRINT)[0][0].animal, len(looks)

    lion = picture_of(pack, "lion", 0, 1.0)
    assert animal(lion, cells) == ("lion", 1)
    assert animal(np.minimum(lion, 250) + np.uint8(5), cells) == ("lion", 0), "a lamp flickered"
    dice = np.random.default_rng(1)
    noisy = [np.clip(lion + dice.normal(0.0, 16.0, lion.shape), 0, 255).astype(np.uint8) for _ in range(5)]
    again = [animal(picture, cells) for picture in noisy]
    assert again == [("lion", 1), ("lion", 1), ("lion", 0), ("lion", 0), ("lion", 0)], "a camera in the dark"
    assert animal(lion, cells) == ("lion", 0)
    measured = {(0, 0): replace(cells[0, 0], corners_px=cells[0, 0].corners_px + np.float32(0.4))}
    assert animal(lion, measured) == ("lion", 0), "only its corners are new"
    assert animal(picture_of(pack, "zebra", 0, 1.0), measured) == ("zebra", 1)
    assert animal(picture_of(pack, "zebra", 0, 1.0), {(0, 0): cell_of(pose)}) == ("zebra", 1)


def test_of_two_places_side_by_side_each_keeps_its_own_look(
    pack: Pack, faces: TokenFaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def counted(*args: Any) -> list[TokenChoice]:
        looks.append(args)
        return choose(*args)

    monkeypatch.setattr("vision.tokens.search.choose", counted)
    pose, token = seen(pack, FLUSH)
    (x, y), off = token.lattice_xy, 0.025
    beside = replace(token, lattice_xy=(x - off, y), point_px=((x - off) * SIDE_PX, y * SIDE_PX))
    reader, cells, lion = reader_of(faces), {(0, 0): cell_of(pose)}, picture_of(pack, "lion", 0, 1.0)
    reader.read(Sight(lion), pose, cells, [beside, token], PRINT)
    assert looks
    looks.clear()
    reader.read(Sight(lion), pose, cells, [beside, token], PRINT)
    assert not looks
