"""Which cells carry tiles."""

from __future__ import annotations

import numpy as np

from engine.geometry import Cell
from vision.geometry.lattice import Lattice
from vision.locate.heatmap import NET_WH, STRIDE, Heat, NetPicture
from vision.locate.occupancy import _chances_around_board, cells_near

SIDE_PX = 40.0
LATTICE = Lattice(np.diag([SIDE_PX, SIDE_PX, 1.0]), np.array(NET_WH) / 2.0, 400.0)


def heat_of(faces: list[Cell]) -> Heat:
    """A heat map, pixel for pixel of its frame, that sees printed faces in these cells."""
    maps = np.zeros((9, NET_WH[1] // STRIDE, NET_WH[0] // STRIDE), np.float32)
    side = int(SIDE_PX / STRIDE)
    for x, y in faces:
        maps[2, y * side : (y + 1) * side, x * side : (x + 1) * side] = 1.0
    return Heat(NetPicture(np.zeros((*NET_WH[::-1], 3), np.uint8), np.eye(3)[:2]), maps)


def test_faces_beyond_a_hand_are_told_as_far_as_they_show() -> None:
    told = _chances_around_board({(2, 2)}, {(2, 2): 0.99}, LATTICE, heat_of([(4, 2), (5, 2), (6, 2), (2, 6)]))
    assert told[2, 2] == 0.99
    assert told[3, 2] == 0.02, "who was not asked beside the board is hardly a tile"
    assert told[4, 2] > 0.8
    assert told[5, 2] > 0.8
    assert told[2, 4] < 0.1
    assert not {(6, 2), (2, 5), (2, 6)} & told.keys(), "too far, or nothing shows on the way"


def test_nothing_is_asked_twice() -> None:
    around = {(x, y): 0.5 for x in range(6) for y in range(6)}
    told = _chances_around_board({(2, 2)}, around, LATTICE, heat_of([(4, 2)]))
    assert all(told[cell] == 0.5 for cell in around)


def test_cells_near_a_board_are_those_few_steps_from_its_nearest_tile() -> None:
    board = [(0, 0), (1, 0)]
    assert cells_near([(3, 0), (1, 2), (4, 0), (-1, -2)], board, 2) == {(3, 0), (1, 2)}
    assert cells_near([], board, 2) == cells_near([(0, 0)], [], 2) == set()
