"""The unexplained part of a look: none for print, nearly all for a piece that hides it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.pieces.piece_classifier import FOOT_PX, SIDE_PX
from vision.pieces.unexplained import unexplained
from vision.pieces.weights import Weights


def art(seed: int) -> np.ndarray:
    """Art (3, S, S), -1..1, with a house of two colours where a look's piece would stand."""
    rng = np.random.default_rng(seed)
    picture = np.full((3, SIDE_PX, SIDE_PX), 0.1, np.float32) + rng.normal(0, 0.05, 3)[:, None, None]
    x, y = (round(v) for v in FOOT_PX)
    picture[:, y - 16 : y, x - 8 : x + 8] = np.array([-0.6, -0.5, 0.7])[:, None, None]
    picture[:, y - 8 : y, x - 8 : x] = np.array([0.2, 0.5, 0.6])[:, None, None]
    return picture.astype(np.float32)


def look(seen: np.ndarray, print_: np.ndarray, known: float = 1.0) -> np.ndarray:
    """A look (1, 10, S, S) at what is seen (3, S, S) over a print."""
    mask = np.full((1, SIDE_PX, SIDE_PX), known, np.float32)
    return np.concatenate([seen, seen * known, (seen - print_) * known, mask])[None].astype(np.float32)


@pytest.mark.parametrize("seed", range(3))
def test_a_painted_house_is_explained_a_piece_on_it_is_not(seed: int) -> None:
    rng, print_ = np.random.default_rng(seed), art(seed)
    noise = rng.normal(0, 0.04, print_.shape)
    paler = 0.8 * np.roll(print_, (1, -1), axis=(1, 2)) + 0.1 + noise
    (house,) = unexplained(look(paler, print_))
    assert house < -1.2, "another contrast, and a corner a pixel aside"
    x, y = (round(v) for v in FOOT_PX)
    hidden = print_ + noise
    hidden[:, y - 22 : y + 3, x - 10 : x - 1] = np.array([0.7, -0.6, -0.8])[:, None, None]
    (piece,) = unexplained(look(hidden, print_))
    assert piece > -0.5


def test_an_unknown_print_says_nothing() -> None:
    assert unexplained(look(art(1), art(1), known=0.0)) == pytest.approx([0.0])
    assert unexplained(np.zeros((0, 10, SIDE_PX, SIDE_PX), np.float32)).shape == (0,)


def test_only_what_the_print_explains_speaks_against_a_piece() -> None:
    weights = Weights(unexplained=(6.0, -0.7))
    assert weights.by_print(0.0) == weights.by_print(-0.7) == 0.0
    assert weights.by_print(-1.2) == pytest.approx(-3.0)
    assert Weights().by_print(-9.0) == 0.0
