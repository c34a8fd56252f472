"""Only cells that changed are read again."""

from __future__ import annotations

import numpy as np

from engine.geometry import Cell
from vision.change.reading_memory import CROP_PX, ReadingCache
from vision.observation import BoardPose, CellReading, Sight

SIDE_PX = 80.0


def pose_of(cells: list[Cell], shift_px: float = 0.0) -> BoardPose:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    quads = {cell: (square + np.array(cell, np.float32)) * SIDE_PX + shift_px for cell in cells}
    return BoardPose(np.diag([SIDE_PX, SIDE_PX, 1.0]), quads, (400, 400), 1.0)


class Reader:
    """Reads anything; ``asked`` says which cells, call by call."""

    def __init__(self) -> None:
        self.asked: list[list[Cell]] = []

    def __call__(self, pose: BoardPose) -> dict[Cell, CellReading]:
        self.asked.append(sorted(pose.quads))
        logs, number = np.zeros((1, 4), np.float32), float(len(self.asked))
        return {cell: CellReading(cell, quad, logs, number) for cell, quad in pose.quads.items()}


def read(memory: ReadingCache, table: np.ndarray, pose: BoardPose, reader: Reader) -> dict[Cell, CellReading]:
    """The cells of a picture, through the cache."""
    return memory.read(Sight(table).crops(list(pose.quads.values()), CROP_PX), pose, reader)


def test_a_still_table_is_read_once_and_a_changed_cell_again() -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(40, 215, (400, 400, 3), dtype=np.uint8)
    cells: list[Cell] = [(0, 0), (1, 0), (2, 0)]
    memory, reader = ReadingCache(), Reader()
    first = read(memory, table, pose_of(cells), reader)
    noisy = np.clip(table + rng.normal(0, 4, table.shape), 0, 255).astype(np.uint8)
    again = read(memory, noisy, pose_of(cells, 0.3), reader)
    assert reader.asked == [cells, []]
    assert again.keys() == first.keys()
    covered = noisy.copy()
    covered[25:50, 105:130] = (30, 30, 200)  # a meeple on the middle tile
    third = read(memory, covered, pose_of(cells), reader)
    assert reader.asked[-1] == [(1, 0)]
    assert third[(1, 0)].log_tile == 3.0


def test_moved_and_vanished_cells() -> None:
    table = np.full((400, 400, 3), 128, np.uint8)
    memory, reader = ReadingCache(), Reader()
    read(memory, table, pose_of([(0, 0), (1, 0)]), reader)
    left = read(memory, table, pose_of([(0, 0)]), reader)
    assert list(left) == [(0, 0)]
    read(memory, table, pose_of([(0, 0)], shift_px=5.0), reader)
    assert reader.asked[-1] == [(0, 0)]
    assert read(memory, table, pose_of([]), reader) == {}


def test_a_change_of_colour_alone_is_a_change() -> None:
    table = np.full((400, 400, 3), 128, np.uint8)
    memory, reader = ReadingCache(), Reader()
    read(memory, table, pose_of([(0, 0), (1, 0)]), reader)
    same_grey = table.copy()
    same_grey[25:50, 105:130] = (208, 128, 97)
    read(memory, same_grey, pose_of([(0, 0), (1, 0)]), reader)
    assert reader.asked[-1] == [(1, 0)]
