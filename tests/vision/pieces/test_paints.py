"""Pieces of one picture: one paint per player, even if single pieces look different."""

from __future__ import annotations

import numpy as np
import pytest

from models import ModelError, load
from vision.pieces.paints import LOOKS, Paints, photographed_paints, under_light
from vision.pieces.piece_classifier import FOOT_PX, SIDE_PX
from vision.pieces.tone import own_pixels
from vision.pieces.weights import ALL_COLORS

PAINTS = Paints.of(load("looks").meta)
BLUE, BLACK = ALL_COLORS.index("blue"), ALL_COLORS.index("black")


def odds_of(color: int, nats: float, n: int) -> np.ndarray:
    """Log-odds of n pieces by the networks, in which one colour leads by ``nats``."""
    said = np.zeros((n, len(ALL_COLORS)))
    said[:, color] = nats
    return said


def test_a_dark_blue_is_told_from_the_black_beside_it() -> None:
    assert PAINTS is not None
    black = PAINTS.mean[BLACK]
    dark_blue = np.add(black, (0.5, 0.6, -0.25, 0.0))
    rng = np.random.default_rng(1)
    paints = np.concatenate([np.tile(black, (5, 1)), np.tile(dark_blue, (5, 1))])
    paints += rng.normal(0, 0.03, paints.shape)
    odds = odds_of(BLACK, 2.0, 10)
    odds[:, BLUE] = 1.0
    told = PAINTS.shares(paints, odds, np.ones(10)).argmax(axis=1)
    assert told.tolist() == [BLACK] * 5 + [BLUE] * 5
    alone = PAINTS.shares(paints[5:6], odds[5:6], np.ones(1))
    assert alone[0, BLACK] > PAINTS.shares(paints, odds, np.ones(10))[5, BLACK]


def test_an_error_of_the_light_moves_no_colour() -> None:
    """All paints of a table shift alike under a lamp that was measured wrongly."""
    assert PAINTS is not None
    colors = np.repeat(np.arange(5), 4)
    paints = np.add(PAINTS.mean[colors], (0.3, -0.3, 0.25, 0.0))
    odds = np.zeros((len(colors), len(ALL_COLORS)))
    odds[np.arange(len(colors)), colors] = 1.0
    told = PAINTS.shares(paints, odds, np.ones(len(colors))).argmax(axis=1)
    assert (told == colors).all()


def test_a_colour_that_cannot_be_is_not_told() -> None:
    assert PAINTS is not None
    odds = odds_of(BLUE, 3.0, 1)
    odds[:, BLACK] = -np.inf
    shares = PAINTS.shares(PAINTS.mean[BLACK : BLACK + 1], odds, np.ones(1))
    assert shares[0, BLACK] == 0.0
    assert shares.sum() == pytest.approx(1.0)


def test_the_light_is_taken_out_of_a_paint() -> None:
    pictures = np.zeros((1, 10, SIDE_PX, SIDE_PX), np.float32)
    pictures[0, :3] = np.array([120.0, 60.0, 30.0])[:, None, None] / 127.5 - 1
    own = own_pixels(pictures, np.array([FOOT_PX]))
    paint = photographed_paints(pictures, own)
    half = photographed_paints(((pictures + 1) / 2 - 1).astype(np.float32), own)
    gain = np.ones(3, np.float32)
    bright = under_light(paint, (gain, 0 * gain), gain)
    dim = under_light(half, ((gain / 2).astype(np.float32), 0 * gain), gain)
    assert paint.shape == (1, LOOKS)
    assert dim == pytest.approx(bright, abs=0.1)


def test_damaged_paints_are_refused() -> None:
    assert Paints.of({}) is None
    with pytest.raises(ModelError, match="paints"):
        Paints.of({"paints": {"mean": [[0.0]]}})
