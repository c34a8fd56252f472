"""A doubtful cell is compared with the table beside the board and with the tiles, in any light."""

from __future__ import annotations

import numpy as np
import pytest

from vision.locate.background import CELL_PX, FEW, print_likeness
from vision.locate.params import PARAMS
from vision.observation import Sight

SIDE = 40


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.7, 0.9)])
def test_print_likeness_tells_table_from_tiles_in_any_light(light: tuple[float, float, float]) -> None:
    """A grey carpet with six tiles: a cell of carpet, a new tile in the tiles' inks, one in new inks."""
    rng = np.random.default_rng(3)
    image = np.clip(rng.normal(150, 25, (4 * SIDE, 6 * SIDE, 1)) + np.zeros(3), 0, 255)
    inks = np.array([[40, 120, 60], [60, 160, 190], [170, 110, 50], [150, 150, 150]])

    def lay(column: int, row: int, palette: np.ndarray) -> None:
        patch = palette[rng.integers(0, len(palette), (8, 8))].repeat(5, axis=0).repeat(5, axis=1)
        image[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE] = patch

    for column in range(6):
        lay(column, 0, inks)
    lay(1, 1, inks)
    lay(2, 1, np.array([[30, 20, 90], [60, 30, 120]]))
    photo = Sight(np.clip(image * np.array(light), 0, 255).astype(np.uint8))
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * SIDE - 0.5
    cells = [(column, row) for row in range(4) for column in range(6)]
    quads = np.array([square + np.array(cell) * SIDE for cell in cells])
    crops = photo.crops(quads, CELL_PX)
    tiles = np.array([row == 0 for _, row in cells])
    bare = np.array([row > 1 for _, row in cells])
    like = dict(zip(cells, print_likeness(crops, tiles, bare), strict=True))
    assert like[0, 1] < -0.8  # carpet
    assert like[1, 1] > 0.8
    assert abs(like[2, 1]) < 0.2  # colours that neither has say nothing
    assert max(abs(value) for value in like.values()) <= PARAMS.most_nats
    few = np.arange(len(cells)) < FEW - 1
    assert not print_likeness(crops, few, bare).any()
    assert not print_likeness(crops, tiles, few).any()
