"""Board reader: the gallery's faces give exact corners, and find tiles that have no outline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from engine.geometry import Cell
from models import OnnxModel, load
from tests.vision.toy_boards import ToyBoard, toy_board, toy_faces
from vision.observation import BoardPose, CellReading, Quad, Sight, mean_sides_px
from vision.tiles.board_reader import BoardReader, count_known, with_hidden_tiles
from vision.tiles.face_classifier import read_tiles
from vision.tiles.gallery import Gallery, build_gallery
from vision.tiles.params import PARAMS
from vision.tiles.registration import Alignment, align

CELLS: list[Cell] = [(x, y) for x in range(4) for y in range(3)]


@pytest.fixture(scope="module")
def descriptor() -> OnnxModel:
    return load("descriptor")


@pytest.fixture(scope="module")
def board() -> ToyBoard:
    return toy_board(4, CELLS, faces=toy_faces(4, 12, 256))


@pytest.fixture(scope="module")
def gallery(board: ToyBoard, descriptor: OnnxModel) -> Gallery:
    return build_gallery("toy", [(f"T{n}", face) for n, face in enumerate(board.faces)], descriptor)


def pose_of(board: ToyBoard, cells: list[Cell], off_sides: float = 0.0) -> BoardPose:
    rng = np.random.default_rng(2)
    side = np.linalg.norm(board.quads[CELLS[0]][1] - board.quads[CELLS[0]][0])
    quads = {
        cell: (board.quads[cell] + rng.normal(0, off_sides * side, (4, 2))).astype(np.float32)
        for cell in cells
    }
    return BoardPose(np.eye(3), quads, (1280, 720), 1.0, dict.fromkeys(CELLS, 0.9))


def worst_corner(quads: dict[Cell, Quad], board: ToyBoard) -> float:
    """In sides, over all tiles of the board."""
    off = []
    for cell, true in board.quads.items():
        side = float(mean_sides_px(true))
        off.append(float(np.linalg.norm(quads[cell] - true, axis=1).max()) / float(side))
    return max(off)


def test_an_outline_that_went_astray_between_two_known_tiles_is_put_right(
    gallery: Gallery, descriptor: OnnxModel
) -> None:
    three: list[Cell] = [(0, 0), (1, 0), (2, 0)]
    board = toy_board(4, three, faces=toy_faces(4, 12, 256))
    quads = {cell: board.quads[cell].astype(np.float32) for cell in three}
    quads[1, 0] = quads[1, 0] + np.float32(0.22) * (quads[1, 0][1] - quads[1, 0][0])
    pose, readings = BoardReader(gallery, descriptor).read(
        Sight(board.image), BoardPose(np.eye(3), quads, (1280, 720), 1.0, dict.fromkeys(three, 0.9))
    )
    assert [int(readings[cell].log_probs.argmax()) // 4 for cell in three] == [0, 1, 2]
    assert worst_corner(dict(pose.quads), board) < 0.02


def test_a_tile_that_does_not_fit_its_outline_is_looked_for_where_its_neighbours_say(
    board: ToyBoard, gallery: Gallery, descriptor: OnnxModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "vision.tiles.registration.found_nearby", lambda _, quads, *__: (quads, np.zeros(len(quads), bool))
    )
    seen = pose_of(board, CELLS)
    quads = dict(seen.quads)
    quads[1, 1] = quads[1, 1] + np.float32(0.1) * (quads[1, 1][2] - quads[1, 1][0])
    pose, _ = BoardReader(gallery, descriptor).read(Sight(board.image), replace(seen, quads=quads))
    assert worst_corner(dict(pose.quads), board) < 0.01


def test_a_tile_far_from_its_outline_is_measured_from_where_its_face_was(
    gallery: Gallery, descriptor: OnnxModel
) -> None:
    one: list[Cell] = [(0, 0)]
    board = toy_board(4, one, faces=toy_faces(4, 12, 256))
    quad = board.quads[0, 0]
    away = (quad + 0.11 * (quad[2] - quad[0]) * np.array([1.0, 0.4])).astype(np.float32)
    pose, _ = BoardReader(gallery, descriptor).read(
        Sight(board.image), BoardPose(np.eye(3), {(0, 0): away}, (1280, 720), 1.0, {(0, 0): 0.9})
    )
    assert worst_corner(dict(pose.quads), board) < 0.005


def test_every_tile_is_named_and_measured(board: ToyBoard, gallery: Gallery, descriptor: OnnxModel) -> None:
    pose, readings = BoardReader(gallery, descriptor).read(Sight(board.image), pose_of(board, CELLS, 0.012))
    named = {cell: int(reading.log_probs.argmax()) // 4 for cell, reading in readings.items()}
    assert named == {cell: number for number, cell in enumerate(CELLS)}
    assert worst_corner(dict(pose.quads), board) < 0.01


@pytest.mark.parametrize("lost", [[(3, 1)], [(2, 2), (3, 2)], [(1, 0), (1, 1), (1, 2), (2, 1)]])
def test_a_tile_without_an_outline_is_found_by_its_face(
    lost: list[Cell], board: ToyBoard, gallery: Gallery, descriptor: OnnxModel
) -> None:
    seen = pose_of(board, [cell for cell in CELLS if cell not in lost])
    pose, readings = BoardReader(gallery, descriptor).read(Sight(board.image), seen)
    assert readings.keys() == set(CELLS)
    assert worst_corner(dict(pose.quads), board) < 0.01


def test_a_tile_beyond_a_hand_is_found_by_its_face(
    board: ToyBoard, gallery: Gallery, descriptor: OnnxModel
) -> None:
    hidden = {cell for cell in CELLS if cell[0] in (1, 2)}
    image = board.image.copy()
    for cell in hidden:
        low, high = board.quads[cell].min(axis=0).astype(int), board.quads[cell].max(axis=0).astype(int)
        image[low[1] : high[1], low[0] : high[0]] = (120, 150, 200)
    left = [cell for cell in CELLS if cell[0] == 0]
    seen = replace(pose_of(board, left), occupied=dict.fromkeys(left, 1.0) | {(3, 1): 0.9})
    _, readings = BoardReader(gallery, descriptor).read(Sight(image), seen)
    assert (3, 1) in readings
    assert not hidden & {cell for cell, reading in readings.items() if reading.log_tile > 0}


def test_scans_trimmed_askew_are_laid_over_their_tiles_in_few_rounds(
    board: ToyBoard, descriptor: OnnxModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    askew = np.array([[1, 0, 0.025 * 256], [0, 1, -0.025 * 256]])
    scans = [
        np.asarray(cv2.warpAffine(face, askew, (256, 256), borderMode=cv2.BORDER_REPLICATE), np.uint8)
        for face in board.faces
    ]
    gallery = build_gallery("toy", [(f"T{n}", scan) for n, scan in enumerate(scans)], descriptor)
    rounds: list[int] = []

    def counted(*args: Any) -> Alignment:
        prior = args[4] if len(args) > 4 else None
        if prior is not None:
            rounds.append(len(args[1]))
        return align(*args)

    monkeypatch.setattr("vision.tiles.registration.align", counted)
    _, readings = BoardReader(gallery, descriptor).read(Sight(board.image), pose_of(board, CELLS, 0.005))
    assert count_known(readings) == len(CELLS)
    assert sum(number == len(CELLS) for number in rounds) == 2


def test_nothing_is_computed_again_where_nothing_changed(
    board: ToyBoard, gallery: Gallery, descriptor: OnnxModel
) -> None:
    reader, seen = BoardReader(gallery, descriptor), pose_of(board, CELLS)
    _, first = reader.read(Sight(board.image), seen)
    _, again = reader.read(Sight(board.image), seen)
    assert all(again[cell] is first[cell] for cell in CELLS)


def test_a_tile_that_is_certain_in_a_picture_is_read_once(
    board: ToyBoard, gallery: Gallery, descriptor: OnnxModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def counted(image: Sight, pose: BoardPose, *rest: Any) -> dict[Cell, CellReading]:
        looked_at.append(len(pose.quads))
        return read_tiles(image, pose, *rest)

    monkeypatch.setattr("vision.tiles.board_reader.read_tiles", counted)
    reader, seen, picture = BoardReader(gallery, descriptor), pose_of(board, CELLS), Sight(board.image)
    side = float(np.mean([mean_sides_px(quad) for quad in seen.quads.values()]))
    off = np.array([0.024 * side, 0.0], np.float32)
    beside = replace(seen, quads={cell: quad + off for cell, quad in seen.quads.items()})
    _, first = reader.read(picture, seen)
    looked_at.clear()
    _, again = reader.read(picture, beside)
    assert sum(looked_at) <= 3
    assert [r.log_probs.argmax() for r in again.values()] == [r.log_probs.argmax() for r in first.values()]
    assert worst_corner({cell: r.corners_px for cell, r in again.items()}, board) < 0.01
    looked_at.clear()
    reader.read(Sight(board.image), seen)
    assert sum(looked_at) >= len(CELLS)


def reading_of(cell: Cell, best: float, log_tile: float) -> CellReading:
    """Reading of a cell whose best of three faces has the probability ``best``."""
    rest = np.full((3, 4), (1.0 - best) / 11.0)
    rest[1, 2] = best
    return CellReading(cell, np.zeros((4, 2), np.float32), np.log(rest).astype(np.float32), log_tile)


@pytest.mark.parametrize(
    ("best", "at", "told"),
    [
        (PARAMS.sure_face + 0.005, (1, 0), True),
        (PARAMS.sure_face - 0.02, (1, 0), False),
        (0.999, (2, 1), False),
    ],
)
def test_a_tile_half_under_a_hand_is_told_by_its_outline_and_one_face(
    best: float, at: Cell, told: bool
) -> None:
    readings = {
        (0, 0): reading_of((0, 0), 0.99, 9.0),
        at: reading_of(at, best, 0.5 - PARAMS.singled_out_nats),
    }
    known = with_hidden_tiles(readings)
    assert (known[at].log_tile > 0) is told
    assert known[0, 0] is readings[0, 0]
