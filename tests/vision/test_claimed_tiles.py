"""A piece on the board stands on something: its cell is asked once more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import Cell
from models import load
from tests.vision.toy_boards import ToyBoard, toy_board, toy_faces
from vision.observation import BoardPose, CellReading, Frame, PieceReading, Sight
from vision.pipeline import Pipeline
from vision.tiles.board_reader import BoardReader
from vision.tiles.gallery import Gallery, build_gallery
from vision.unknown_tiles import LIKELIER, claimed_tiles

CELLS = [(x, y) for y in range(2) for x in range(4)]
LOST = (3, 1)


@pytest.fixture(scope="module")
def table() -> tuple[ToyBoard, Gallery]:
    faces = toy_faces(8, len(CELLS), 256)
    named = [(f"T{n}", face) for n, face in enumerate(faces)]
    return toy_board(8, CELLS, faces=faces), build_gallery("toy", named, load("descriptor"))


def lost(board: ToyBoard, gallery: Gallery) -> tuple[BoardPose, dict[Cell, CellReading], Cell, Cell]:
    """The board without the reading of one tile, that tile's cell, and the cell of bare table beyond it."""
    seen = Pipeline(gallery).observe(Frame(board.image))
    assert seen.pose is not None
    middle = board.quads[LOST].mean(axis=0)
    cell = min(seen.cells, key=lambda c: float(np.hypot(*(seen.cells[c].corners_px.mean(axis=0) - middle))))
    others = {c: r for c, r in seen.cells.items() if c != cell}
    xs, ys = zip(*others, strict=True)
    beyond = min(
        ((x, y) for x in range(min(xs) - 1, max(xs) + 2) for y in (min(ys) - 1, max(ys) + 1)),
        key=lambda c: abs(c[0] - cell[0]) + 0.1 * abs(c[1] - cell[1]),
    )
    pose = replace(seen.pose, quads={c: r.corners_px for c, r in others.items()})
    return pose, others, cell, beyond


def piece_at(cell: Cell) -> PieceReading:
    return PieceReading("meeple", "red", "standing", (0.0, 0.0), (cell[0] + 0.5, cell[1] + 0.5), 0.99)


def test_a_piece_gives_its_tile_away_and_bare_table_stays_bare(table: tuple[ToyBoard, Gallery]) -> None:
    board, gallery = table
    pose, cells, cell, beyond = lost(board, gallery)
    reader = BoardReader(gallery, load("descriptor"))
    picture = Sight(board.image)
    _, found, unknown = claimed_tiles(picture, pose, cells, {}, [piece_at(cell), piece_at(beyond)], reader)
    assert cell in found
    assert found[cell].log_tile > 0 or unknown[cell] > LIKELIER
    assert beyond not in found


def test_nothing_is_asked_without_a_piece(table: tuple[ToyBoard, Gallery]) -> None:
    board, gallery = table
    pose, cells, _, _ = lost(board, gallery)
    reader = BoardReader(gallery, load("descriptor"))
    same, found, unknown = claimed_tiles(Sight(board.image), pose, cells, {}, [], reader)
    assert same is pose
    assert found is cells
    assert unknown == {}


def test_a_board_without_known_tiles_claims_none(table: tuple[ToyBoard, Gallery]) -> None:
    board, gallery = table
    pose, cells, cell, _ = lost(board, gallery)
    foreign = {c: replace(reading, log_tile=-3.0) for c, reading in cells.items()}
    reader = BoardReader(gallery, load("descriptor"))
    chances = dict.fromkeys(foreign, 0.9)
    _, found, unknown = claimed_tiles(Sight(board.image), pose, foreign, chances, [piece_at(cell)], reader)
    assert (found, unknown) == (foreign, chances)
