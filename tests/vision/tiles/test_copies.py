"""A tile of which little is seen is named by another tile with the same print."""

from __future__ import annotations

import numpy as np
import pytest

from models import load
from tests.vision.toy_boards import toy_faces
from vision.observation import CellReading, Sight
from vision.tiles.face_classifier import read_by_copies
from vision.tiles.gallery import build_gallery

SIDE = 160
SEEN, HIDDEN, STRANGE = (0, 0), (1, 0), (2, 0)


def reading(column: int, design: int, turn: int, log_tile: float) -> CellReading:
    """A reading of the tile in one column of a picture."""
    logs = np.full((2, 4), -7.0, np.float32)
    logs[design, turn] = np.log(1 - 7 * np.exp(-7.0))
    quad = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE + (10 + column * (SIDE + 20), 10)
    return CellReading((column, 0), quad, logs, log_tile, print_known=0.5 + 0.499 * (log_tile > 0))


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_a_covered_second_drawing_is_read_by_a_better_visible_one(turn: int) -> None:
    scan, other, drawing, strange = toy_faces(7, 4, SIDE)
    model = load("descriptor")
    gallery = build_gallery("toy", [("one", scan), ("two", other)], model)
    covered = np.rot90(drawing, -turn).copy()
    covered[50:110, 40:90] = (40, 60, 200)
    picture = np.full((SIDE + 20, 3 * (SIDE + 20), 3), 110, np.uint8)
    for column, face in enumerate((drawing, covered, strange)):
        picture[10 : 10 + SIDE, 10 + column * (SIDE + 20) :][:, :SIDE] = face
    readings = {
        SEEN: reading(0, 1, 1, 9.0),
        HIDDEN: reading(1, 0, 0, -3.0),
        STRANGE: reading(2, 0, 2, -3.0),
    }
    told = read_by_copies(Sight(picture), readings, gallery, model)
    assert set(told) == {HIDDEN}
    assert divmod(int(told[HIDDEN].log_probs.argmax()), 4) == (1, (1 + turn) % 4)
    assert 0 < told[HIDDEN].log_tile <= 9.0
    alone = {cell: one for cell, one in readings.items() if cell != SEEN}
    assert not read_by_copies(Sight(picture), alone, gallery, model)
