"""How far detector and look are believed is measured: what is found is what was put in."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.piece_classifier.weigh import RANGER, weigh, weigh_grey, weigh_print


def test_the_weights_are_those_of_the_world() -> None:
    """In a world of known factors: black ones are nothing where no piece is black."""
    rng = np.random.default_rng(3)
    n = 20000

    def shares(c: int) -> np.ndarray:
        return rng.dirichlet(np.full(c, 0.3), n)

    def log(p: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(np.maximum(p, 1e-4)))

    value, nothing = rng.uniform(0.05, 0.95, n), rng.uniform(0.05, 0.95, n)
    kinds, colors, looked, tinted = shares(4), shares(6), shares(4), shares(6)
    own = np.ones((n, 6))
    own[:, 4] = 0.0

    odds = log(value / (1 - value)) + 0.5 * log((1 - nothing) / nothing)
    ranger = (log(kinds) + log(looked)).argmax(axis=1) == RANGER  # no player's colour
    odds += np.where(ranger, 0.0, 0.8 * log(1 - tinted[:, 4]))
    there = rng.random(n) < 1 / (1 + np.exp(-odds))
    choose = 0.7 * log(kinds) + 0.4 * log(looked) + rng.gumbel(size=(n, 4))
    paint = 0.5 * log(colors) + 0.9 * log(tinted) + rng.gumbel(size=(n, 6))
    weights = weigh(
        {
            "is_token": np.arange(n) % 4 == 0, "value": value, "kinds": kinds, "colors": colors, "own": own,
            "look_kinds": np.column_stack([nothing, looked * (1 - nothing)[:, None]]),
            "look_token": nothing, "look_colors": tinted, "tile": there.astype(np.float64),
            "kind": np.where(there, 1 + choose.argmax(axis=1), 0), "color": paint.argmax(axis=1),
        }
    )  # fmt: skip
    assert weights["something"][:2] == pytest.approx([1.0, 0.5], abs=0.1)
    assert weights["foreign"] == pytest.approx([0.0, 0.8], abs=0.15)
    assert weights["kind"] == pytest.approx([0.7, 0.4], abs=0.08)
    assert weights["color"] == pytest.approx([0.5, 0.9], abs=0.08)


def test_what_the_print_leaves_over_is_weighed_with_the_others_held() -> None:
    rng = np.random.default_rng(5)
    n = 20000
    value, left = rng.uniform(0.05, 0.95, n), rng.uniform(-2.0, 0.0, n)
    odds = np.log(value / (1 - value)) + 4.0 * np.minimum(left + 0.8, 0.0)
    there = rng.random(n) < 1 / (1 + np.exp(-odds))
    flat = np.full((n, 6), 1 / 6)
    said = {
        "is_token": np.zeros(n), "value": value, "unexplained": left, "kind": there.astype(np.float64),
        "kinds": np.full((n, 4), 0.25), "look_kinds": np.full((n, 5), [0.5, *[0.125] * 4]),
        "colors": flat, "look_colors": flat, "own": np.ones((n, 6)),
    }  # fmt: skip
    weights = {"something": [1.0, 0.0, 0.0], "foreign": [0.0, 0.0]}
    assert weigh_print(said, weights) == pytest.approx([4.0, -0.8], abs=0.5)


def test_grey_is_weighed_by_tone_among_what_looks_black() -> None:
    rng = np.random.default_rng(6)
    n = 20000
    level, chroma, black = rng.uniform(3.0, 5.5, n), rng.uniform(0.0, 1.5, n), rng.uniform(0.01, 0.98, n)
    odds = 2.0 * level - 3.0 * chroma + 0.5 * np.log(black) - 7.0
    grey = rng.random(n) < 1 / (1 + np.exp(-odds))
    shares = np.tile(((1 - black) / 5)[:, None], (1, 6))
    shares[:, 4] = black
    tones = np.column_stack([level, chroma])
    tones[::7] = np.nan
    said = {
        "is_token": np.zeros(n), "kind": np.ones(n), "color": np.where(grey, -1.0, 4.0),
        "grey": grey.astype(np.float64), "tones": tones, "colors": shares, "look_colors": shares,
    }  # fmt: skip
    level_w, chroma_w, square_w, black_w, _ = weigh_grey(said, {"color": [0.5, 0.5]})
    assert level_w == pytest.approx(2.0, abs=0.25)
    assert chroma_w + 1.5 * square_w == pytest.approx(-3.0, abs=0.5)
    assert black_w == pytest.approx(0.5, abs=0.1)
