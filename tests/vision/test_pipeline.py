"""What the main path hands from one stage to the next."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from engine.geometry import Cell
from models import load
from tests.vision.toy_boards import ToyBoard, toy_board, toy_faces
from vision.board_finder import LocatedBoard
from vision.change.small_picture import SmallPicture
from vision.geometry.lattice import Lattice
from vision.locate.locator import LocatedLattice, LocatorState
from vision.observation import BoardPose, CellReading, Frame, Sight
from vision.pipeline import Pipeline, _pose_without_bare_cells
from vision.stage_timer import StageTimer
from vision.tiles.board_reader import count_known
from vision.tiles.gallery import build_gallery

SQUARE = np.array([[0, 0], [100, 0], [100, 100], [0, 100]], np.float32)


def outlined(**unknown: float | None) -> LocatedBoard:
    """Outlines side by side, and the probability of a tile where the gallery knows no face."""
    cells = [(x, 0) for x in range(len(unknown))]
    pose = BoardPose(np.diag([100.0, 100.0, 1.0]), dict.fromkeys(cells, SQUARE), (640, 480), 1.0)
    chances = dict(zip(cells, unknown.values(), strict=True))
    told = {cell: chance for cell, chance in chances.items() if chance is not None}
    return LocatedBoard(LocatorState(), pose, unknown=told)


def test_pieces_are_read_on_tiles_known_or_not_and_not_on_outlines_that_are_none() -> None:
    assert list(_pose_without_bare_cells(outlined(tile=None, foreign=0.9, cloth=0.1)).quads) == [
        (0, 0),
        (1, 0),
    ]


def test_without_a_gallery_or_without_a_tile_every_outline_stays() -> None:
    for seen in (outlined(cloth=0.2, other=0.3), outlined(one=None, two=None)):
        assert _pose_without_bare_cells(seen) is seen.pose


CELLS: list[Cell] = [(x, y) for x in range(4) for y in range(3)]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]]:
    """A pipeline that knows a board's faces, the board, and where its tiles lie; nothing looks for pieces."""
    board = toy_board(4, CELLS, faces=toy_faces(4, 12, 256))
    faces = [(f"T{n}", face) for n, face in enumerate(board.faces)]
    pipeline = Pipeline(build_gallery("toy", faces, load("descriptor")))
    monkeypatch.setattr(pipeline._pieces, "read", lambda *_: ())
    return pipeline, board, {cell: board.quads[cell].astype(np.float32) for cell in CELLS}


def place_of(pose: BoardPose) -> LocatedLattice:
    """A board's place under a lattice of no matter."""
    return LocatedLattice(
        SmallPicture(np.zeros((1, 1, 1), np.float32), 1.0), pose, Lattice(np.eye(3), np.zeros(2), 1.0)
    )


def located(pose: BoardPose, followed: bool = False) -> tuple[BoardPose, LocatorState]:
    """What `locate` gives for a board."""
    return pose, LocatorState(place_of(pose), followed)


@pytest.mark.parametrize(("cells", "readings"), [(4, 2), (12, 1)])
def test_a_board_is_read_again_from_its_faces_unless_it_will_grow_from_them(
    toy: tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]],
    monkeypatch: pytest.MonkeyPatch,
    cells: int,
    readings: int,
) -> None:
    pipeline, board, quads = toy
    faces = {
        cell: CellReading(cell, quads[cell], np.zeros((1, 4), np.float32), 5.0) for cell in CELLS[:cells]
    }
    asked: list[BoardPose] = []

    def read(_: object, pose: BoardPose) -> tuple[BoardPose, dict[Cell, CellReading]]:
        asked.append(pose)
        return pose, faces

    monkeypatch.setattr(pipeline._reader, "read", read)
    beside = {cell: quads[cell] + np.float32(9.0) for cell in CELLS[:4]}
    _, state = located(BoardPose(np.eye(3), beside, (1280, 720), 1.0))
    seen = pipeline._finder._read(Sight(board.image), state, StageTimer())
    assert len(asked) == readings
    assert seen.mostly_outlined is (readings == 2)


@pytest.mark.parametrize("hands", [False, True])
def test_a_known_tile_that_is_followed_astray_is_searched_for_unless_hands_hide_it(
    toy: tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]], monkeypatch: pytest.MonkeyPatch, hands: bool
) -> None:
    pipeline, board, quads = toy
    lying = BoardPose(np.eye(3), quads, (1280, 720), 1.0)
    half = (quads[3, 2] + quads[3, 1]) / 2
    astray = BoardPose(np.eye(3), {**quads, (3, 2): half}, (1280, 720), 1.0)
    followed = [lying, astray]

    def read(_: object, pose: BoardPose) -> tuple[BoardPose, dict[Cell, CellReading]]:
        log_tiles = {cell: 5.0 if quad is quads[cell] else -5.0 for cell, quad in pose.quads.items()}
        logs = np.zeros((1, 4), np.float32)
        return pose, {cell: CellReading(cell, quads[cell], logs, sure) for cell, sure in log_tiles.items()}

    assert pipeline._reader is not None
    monkeypatch.setattr(pipeline._reader, "read", read)
    monkeypatch.setattr(pipeline._reader, "faces", lambda _: {})
    searches: list[int] = []

    def search_thoroughly(*_: object) -> Iterator[LocatedLattice]:
        searches.append(len(followed))
        return iter([place_of(lying)])

    monkeypatch.setattr("vision.board_finder.locate", lambda *_: located(followed.pop(0), followed=True))
    monkeypatch.setattr("vision.board_finder.search_thoroughly", search_thoroughly)
    assert count_known(pipeline.observe(Frame(board.image, 0.0)).cells) == len(CELLS)
    seen = board.image.copy()
    if hands:
        seen[:, : seen.shape[1] // 3] = (90, 110, 150)
    cells = pipeline.observe(Frame(seen, 1.0, index=1)).cells
    assert searches == ([] if hands else [0])
    assert hands or count_known(cells) == len(CELLS)


def test_a_board_that_still_lies_there_is_not_given_up_for_a_loose_tile(
    toy: tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline, board, quads = toy
    lying = BoardPose(np.eye(3), quads, (1280, 720), 1.0)
    loose = BoardPose(np.eye(3), {(0, 0): quads[3, 2]}, (1280, 720), 1.0)
    found = [lying]
    monkeypatch.setattr("vision.board_finder.locate", lambda *_: located(found.pop() if found else loose))
    monkeypatch.setattr("vision.board_finder.search_thoroughly", lambda *_: iter([place_of(loose)]))
    for index in range(2):
        seen = pipeline.observe(Frame(board.image, float(index), index=index))
        assert count_known(seen.cells) == len(CELLS)
    hidden = board.image.copy()
    for cell in CELLS[:-1]:
        cv2.fillConvexPoly(hidden, np.round(quads[cell]).astype(np.int32), (90, 110, 150))
    seen = pipeline.observe(Frame(hidden, 1.5, index=2))
    assert [cell for cell, reading in seen.cells.items() if reading.log_tile > 0] == CELLS[-1:]
    gone = np.full_like(board.image, 90)
    assert count_known(pipeline.observe(Frame(gone, 2.0, index=3)).cells) == 0


def test_of_all_that_may_be_the_board_the_one_that_the_gallery_knows_is_taken(
    toy: tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline, board, quads = toy
    lying = BoardPose(np.eye(3), quads, (1280, 720), 1.0)
    # Half a tile to the side everything lies across two faces.
    aside = {cell: quad + np.float32(0.5) * (quad[1] - quad[0]) for cell, quad in quads.items()}
    askew = BoardPose(np.eye(3), aside, (1280, 720), 1.0)
    monkeypatch.setattr("vision.board_finder.locate", lambda *_: located(askew))
    read: list[BoardPose] = []

    def search_thoroughly(*_: object) -> Iterator[LocatedLattice]:
        for pose in (askew, lying, askew):
            read.append(pose)
            yield place_of(pose)

    monkeypatch.setattr("vision.board_finder.search_thoroughly", search_thoroughly)
    seen = pipeline.observe(Frame(board.image))
    assert count_known(seen.cells) == len(CELLS)
    assert read == [askew, lying]  # what the faces confirm ends the search
    assert pipeline._board.located.prior is lying


def test_a_board_that_was_mostly_found_by_its_faces_is_searched_for_again(
    toy: tuple[Pipeline, ToyBoard, dict[Cell, np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline, board, quads = toy
    some = {cell: quads[cell] for cell in CELLS[:4]}
    found = [BoardPose(np.eye(3), some, (1280, 720), 1.0)]
    monkeypatch.setattr("vision.board_finder.locate", lambda *_: located(found[0]))
    searched: list[bool] = []

    def search_thoroughly(*_: object) -> Iterator[LocatedLattice]:
        searched.append(True)
        return iter([])

    monkeypatch.setattr("vision.board_finder.search_thoroughly", search_thoroughly)
    monkeypatch.setattr("vision.board_finder.regrow_from_faces", lambda *_: None)
    assert count_known(pipeline.observe(Frame(board.image)).cells) == len(CELLS)
    assert searched
