"""Dim tables are lifted, bright ones are left as they are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pictures import as_uint8
from vision.pieces.relighting import Daylight, lifted
from vision.tiles.reprojection import board_light

RNG = np.random.default_rng(3)
PRINT = RNG.integers(0, 256, (40, 40, 3)).astype(np.uint8)
KNOWN = np.full((40, 40), 255, np.uint8)


def seen(gain: tuple[float, float, float], base: float) -> np.ndarray:
    noisy = PRINT * np.array(gain) + base + RNG.normal(0, 2, PRINT.shape)
    return as_uint8(noisy)


def test_a_dim_table_comes_nearer_to_the_print_and_keeps_its_order() -> None:
    dim = seen((0.34, 0.29, 0.23), 42.0)
    curves = Daylight().curves(board_light(dim, PRINT, KNOWN))
    assert curves is not None and curves.shape == (256, 1, 3)
    assert (np.diff(curves.astype(int), axis=0) >= 0).all()
    after = lifted(dim, curves)
    assert after.std() > 1.8 * dim.std(), "there is more between light and dark"
    white = after[PRINT.min(axis=2) > 180].mean(axis=0)
    cast, was = white.max() / white.min(), dim[PRINT.min(axis=2) > 180].mean(axis=0)
    assert cast < was.max() / was.min(), "and less between the colours of white"


@pytest.mark.parametrize("gain", [0.7, 1.0, 1.3])
def test_a_bright_table_is_left_alone(gain: float) -> None:
    bright = seen((gain, gain, gain), 5.0)
    assert Daylight().curves(board_light(bright, PRINT, KNOWN)) is None
    assert lifted(bright, None) is bright


def test_the_lift_stays_while_the_light_hardly_changes() -> None:
    daylight = Daylight()
    first = daylight.curves(board_light(seen((0.4, 0.4, 0.4), 20.0), PRINT, KNOWN))
    assert daylight.curves(board_light(seen((0.405, 0.4, 0.4), 22.0), PRINT, KNOWN)) is first
    assert daylight.curves(board_light(PRINT, PRINT, np.zeros_like(KNOWN))) is first, (
        "no face tells of the light"
    )
    darker = daylight.curves(board_light(seen((0.3, 0.3, 0.3), 20.0), PRINT, KNOWN))
    assert darker is not None and darker is not first
    assert daylight.curves(board_light(seen((0.9, 0.9, 0.9), 5.0), PRINT, KNOWN)) is None
