"""Only cells that changed are read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vision.memory as memory_module
from engine.geometry import Cell
from vision.memory import CellMemory
from vision.observation import BoardPose, CellReading

SIDE_PX = 80.0


def pose_of(cells: list[Cell], shift_px: float = 0.0) -> BoardPose:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    quads = {cell: (square + np.array(cell, np.float32)) * SIDE_PX + shift_px for cell in cells}
    return BoardPose(np.diag([SIDE_PX, SIDE_PX, 1.0]), quads, (400, 400), 1.0)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[Cell]]:
    """Which cells were read by the network, call by call."""
    calls: list[list[Cell]] = []

    def read(image: Any, pose: BoardPose, *_: Any) -> dict[Cell, CellReading]:
        calls.append(sorted(pose.quads))
        logs = np.zeros((1, 4), np.float32)
        return {cell: CellReading(cell, quad, logs, float(len(calls))) for cell, quad in pose.quads.items()}

    monkeypatch.setattr(memory_module, "read_tiles", read)
    return calls


def test_a_still_table_is_read_once_and_a_changed_cell_again(asked: list[list[Cell]]) -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(40, 215, (400, 400, 3), dtype=np.uint8)
    cells: list[Cell] = [(0, 0), (1, 0), (2, 0)]
    memory, nothing = CellMemory(), None
    first = memory.read(table, pose_of(cells), nothing, nothing)  # type: ignore[arg-type]
    noisy = np.clip(table + rng.normal(0, 4, table.shape), 0, 255).astype(np.uint8)
    again = memory.read(noisy, pose_of(cells, 0.3), nothing, nothing)  # type: ignore[arg-type]
    assert asked == [cells, []]
    assert again.keys() == first.keys()
    covered = noisy.copy()
    covered[25:50, 105:130] = (30, 30, 200)  # a meeple on the middle tile
    third = memory.read(covered, pose_of(cells), nothing, nothing)  # type: ignore[arg-type]
    assert asked[-1] == [(1, 0)]
    assert third[(1, 0)].log_tile == 3.0


def test_moved_and_vanished_cells(asked: list[list[Cell]]) -> None:
    table = np.full((400, 400, 3), 128, np.uint8)
    memory, nothing = CellMemory(), None
    memory.read(table, pose_of([(0, 0), (1, 0)]), nothing, nothing)  # type: ignore[arg-type]
    left = memory.read(table, pose_of([(0, 0)]), nothing, nothing)  # type: ignore[arg-type]
    assert list(left) == [(0, 0)]
    memory.read(table, pose_of([(0, 0)], shift_px=5.0), nothing, nothing)  # type: ignore[arg-type]
    assert asked[-1] == [(0, 0)]
    assert memory.read(table, pose_of([]), nothing, nothing) == {}  # type: ignore[arg-type]
