"""What the main path hands from one stage to the next."""

from __future__ import annotations

import numpy as np

from vision.observation import BoardPose, CellReading
from vision.pipeline import _of_tiles

SQUARE = np.array([[0, 0], [100, 0], [100, 100], [0, 100]], np.float32)


def pose_and_cells(**log_tile: float) -> tuple[BoardPose, dict[tuple[int, int], CellReading]]:
    """Outlines side by side, and how surely the gallery takes each for a tile."""
    cells = {
        (x, 0): CellReading((x, 0), SQUARE, np.zeros((1, 4), np.float32), sure)
        for x, sure in enumerate(log_tile.values())
    }
    pose = BoardPose(np.diag([100.0, 100.0, 1.0]), dict.fromkeys(cells, SQUARE), (640, 480), 1.0)
    return pose, cells


def test_pieces_are_read_on_tiles_not_on_outlines_that_are_none() -> None:
    pose, cells = pose_and_cells(tile=5.0, cloth=-4.0)
    assert list(_of_tiles(pose, cells).quads) == [(0, 0)]


def test_without_a_gallery_or_without_a_tile_every_outline_stays() -> None:
    pose, cells = pose_and_cells(cloth=-4.0, other=-3.0)
    assert _of_tiles(pose, cells) is pose
    assert _of_tiles(pose, {}) is pose
