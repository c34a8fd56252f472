"""Cells beside a board that look unlike the table."""

from __future__ import annotations

import cv2
import numpy as np

from engine.geometry import Cell
from tilesight.photograph.trouble import hidden_cells
from vision.board import SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Image, Observation, Sight

SIDE = 40
CELLS: list[Cell] = [(x, y) for x in range(3, 6) for y in range(3, 5)]


def picture(seed: int) -> Image:
    """A brown table that light falls on from one side, and a board on it."""
    rng = np.random.default_rng(seed)
    ramp = np.linspace(0.6, 1.2, 9 * SIDE)[None, :, None]
    image = np.array([60, 90, 130]) * ramp * np.ones((9 * SIDE, 1, 1)) + rng.normal(
        0, 6, (9 * SIDE, 9 * SIDE, 3)
    )
    for x, y in CELLS:
        image[SIDE * y : SIDE * (y + 1), SIDE * x : SIDE * (x + 1)] = (60, 160, 90)
    return np.clip(image, 0, 255).astype(np.uint8)


def board_in(covered: float = 0.0) -> SolvedBoard:
    quads = {
        (x, y): SIDE * np.array([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], np.float32)
        for x, y in CELLS
    }
    pose = BoardPose(np.diag([SIDE, SIDE, 1.0]), quads, (9 * SIDE, 9 * SIDE), 1.0)
    tiles = tuple(SeenTile(cell, None, 1.0, quad) for cell, quad in quads.items())
    logs = np.zeros((1, 4), np.float32)
    cells = {cell: CellReading(cell, quad, logs, 9.0, covered=covered) for cell, quad in quads.items()}
    seen = Observation(0, 0.0, pose, ("one",), cells, ())
    return SolvedBoard(tiles, (), LatticeFrame((0, 0), 0), observation=seen)


def test_a_bare_table_hides_nothing_though_light_falls_off() -> None:
    assert max(hidden_cells(Sight(picture(1)), board_in()).values(), default=0.0) < 0.1


def test_cells_below_a_hand_may_hide_tiles() -> None:
    image = picture(2)
    cv2.rectangle(image, (6 * SIDE, 3 * SIDE), (8 * SIDE, 5 * SIDE), (140, 170, 230), -1)
    hidden = hidden_cells(Sight(image), board_in(covered=0.5))
    assert {cell for cell, share in hidden.items() if share > 0.3} == {(x, y) for x in (6, 7) for y in (3, 4)}


def test_a_thing_beside_a_board_that_it_does_not_cover_hides_tiles_less_often() -> None:
    image = picture(2)
    cv2.rectangle(image, (6 * SIDE, 3 * SIDE), (8 * SIDE, 5 * SIDE), (140, 170, 230), -1)
    beside, above = (hidden_cells(Sight(image), board_in(share))[(6, 3)] for share in (0.0, 0.5))
    assert beside < 0.5 * above


def test_without_tiles_there_is_nothing_beside_them() -> None:
    nothing = SolvedBoard((), (), LatticeFrame((0, 0), 0))
    assert hidden_cells(Sight(picture(3)), nothing) == {}
