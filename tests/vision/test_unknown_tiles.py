"""Tiles of another set are tiles of the board, which continues beyond them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import Cell
from models import load
from tests.vision.toy_boards import toy_board, toy_faces
from vision.board import joined_tiles
from vision.observation import Frame, Observation
from vision.pipeline import Pipeline
from vision.tiles.gallery import build_gallery
from vision.unknown_tiles import LIKELIER

ROW: list[Cell] = [(x, 0) for x in range(7)]
FOREIGN = [(3, 0), (4, 0)]
"""Two tiles between the others, whose faces the gallery lacks: without them the board falls apart."""


@pytest.fixture(scope="module")
def seen() -> Observation:
    faces = toy_faces(5, len(ROW), 256)
    board = toy_board(5, ROW, faces=faces)
    known = [(f"T{n}", face) for n, face in enumerate(faces) if ROW[n] not in FOREIGN]
    return Pipeline(build_gallery("toy", known, load("descriptor"))).observe(Frame(board.image))


def test_tiles_that_no_face_explains_join_the_board(seen: Observation) -> None:
    named = [cell for cell, reading in seen.cells.items() if reading.log_tile > 0]
    unknown = [cell for cell, chance in seen.unknown.items() if chance > LIKELIER]
    assert (len(named), len(unknown)) == (len(ROW) - len(FOREIGN), len(FOREIGN))
    assert len(joined_tiles(seen)) == len(ROW)


def test_a_cell_that_shows_a_known_face_is_not_told_as_unknown(seen: Observation) -> None:
    assert not any(seen.cells[cell].log_tile > 0 for cell in seen.unknown)
    assert np.isfinite(list(seen.unknown.values())).all()
