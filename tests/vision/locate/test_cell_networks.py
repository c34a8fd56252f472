"""Strips and cells cut from a picture."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.locate.cell_networks import BINS, CELL_PX, STRIP_WH, cut, read_sides, tile_chances
from vision.observation import Sight


def test_a_picture_much_finer_than_what_is_cut_is_averaged() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (90, 160, 3)).astype(np.uint8)
    points = np.stack(np.meshgrid(np.array([0.5]), np.array([0.5])), axis=-1)
    quad = np.array([[[0, 0], [16, 0], [16, 16], [0, 16]]]) - 0.5
    fine, shrunk = (cut(Sight(picture), quad, points, finest)[0, 0, 0, 0] for finest in (20.0, 6.4))
    assert fine == pytest.approx(picture[7:9, 7:9, 0].mean(), abs=1)
    assert shrunk == pytest.approx(picture[4:12, 4:12, 0].mean(), abs=1)


@pytest.mark.parametrize("side_px", [1e4, 1e7, 1e12])
def test_cells_larger_than_any_picture_are_cut_all_the_same(side_px: float) -> None:
    picture = np.full((72, 128, 3), 120, np.uint8)
    quads = side_px * np.array([[[-0.2, -0.3], [0.9, -0.1], [0.8, 1.0], [-0.1, 0.9]]])
    shapes: list[tuple[int, ...]] = []

    def sides(strips: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        shapes.append(strips.shape)
        return np.zeros((len(strips), 2, BINS), np.float32), np.zeros(len(strips), np.float32)

    def one_tile(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        shapes.append(cells.shape)
        return np.zeros(len(cells), np.float32)

    read_sides(Sight(picture), quads, sides)
    tile_chances(Sight(picture), quads, one_tile)
    assert shapes == [(4, *STRIP_WH[::-1], 3), (1, CELL_PX, CELL_PX, 3)]
