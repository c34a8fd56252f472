"""Fit of the weights of detector and classifier: it recovers the weights that made the data."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.piece_classifier.weigh import (
    OTHER,
    RANGER,
    weigh,
    weigh_paint,
    weigh_print,
    weigh_something,
)


def test_the_weights_are_those_of_the_world() -> None:
    """In a world of known factors: black ones are nothing where no piece is black."""
    rng = np.random.default_rng(3)
    n = 20000

    def shares(c: int) -> np.ndarray:
        return rng.dirichlet(np.full(c, 0.3), n)

    def log(p: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(np.maximum(p, 1e-4)))

    value, nothing = rng.uniform(0.05, 0.95, n), rng.uniform(0.05, 0.95, n)
    kinds, colors, looked, tinted = shares(4), shares(7), shares(4), shares(7)
    own = np.ones((n, 7))
    own[:, 4] = 0.0
    strange, lean = rng.uniform(0.05, 0.95, n), rng.uniform(0.0, 0.3, n)

    odds = log(value / (1 - value)) + 0.5 * log((1 - nothing) / nothing)
    ranger = (log(kinds) + log(looked)).argmax(axis=1) == RANGER  # no player's colour
    odds += np.where(ranger, 0.0, 0.8 * log(1 - tinted[:, 4]))
    there = rng.random(n) < 1 / (1 + np.exp(-odds))
    choose = 0.7 * log(kinds) + 0.4 * log(looked) + rng.gumbel(size=(n, 4))
    paint = 0.5 * log(colors) + 0.9 * log(tinted) + rng.gumbel(size=(n, 7))
    other = rng.random(n) < 1 / (1 + np.exp(-0.8 * log(strange / (1 - strange)) + 1.0))
    weights = weigh(
        {
            "is_token": np.arange(n) % 4 == 0, "value": value, "kinds": kinds, "colors": colors, "own": own,
            "look_kinds": np.column_stack(
                [nothing, looked * ((1 - nothing) * (1 - strange))[:, None], (1 - nothing) * strange]
            ),
            "lean": lean,
            "look_token": nothing, "look_colors": tinted, "tile": there.astype(np.float64),
            "kind": np.where(there, np.where(other, OTHER, 1 + choose.argmax(axis=1)), 0),
            "color": paint.argmax(axis=1),
        }
    )  # fmt: skip
    assert weights["something"][:2] == pytest.approx([1.0, 0.5], abs=0.1)
    assert weights["foreign"] == pytest.approx([0.0, 0.8], abs=0.15)
    assert weights["kind"] == pytest.approx([0.7, 0.4], abs=0.08)
    assert weights["color"] == pytest.approx([0.5, 0.9], abs=0.08)
    assert weights["other"][0] == pytest.approx(0.8, abs=0.08)
    usual = (other & there).sum() / there.sum()
    assert weights["other"][1] == pytest.approx(-1.0 - np.log(usual / (1 - usual)), abs=0.2)
    assert weights["pose"] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=0.3)


def test_weigh_print_recovers_the_factor_and_threshold_of_unexplained_print() -> None:
    rng = np.random.default_rng(5)
    n = 20000
    value, left = rng.uniform(0.05, 0.95, n), rng.uniform(-2.0, 0.0, n)
    odds = np.log(value / (1 - value)) + 4.0 * np.minimum(left + 0.8, 0.0)
    there = rng.random(n) < 1 / (1 + np.exp(-odds))
    flat = np.full((n, 7), 1 / 7)
    said = {
        "is_token": np.zeros(n), "value": value, "unexplained": left, "kind": there.astype(np.float64),
        "kinds": np.full((n, 4), 0.25), "look_kinds": np.full((n, 6), [0.5, *[0.1] * 5]),
        "colors": flat, "look_colors": flat, "own": np.ones((n, 7)),
    }  # fmt: skip
    weights = {"something": [1.0, 0.0, 0.0], "foreign": [0.0, 0.0]}
    assert weigh_print(said, weights) == pytest.approx([4.0, -0.8], abs=0.5)


def test_paint_is_weighed_by_tone_among_seven_colours() -> None:
    rng = np.random.default_rng(6)
    n = 6000
    shares = rng.dirichlet(np.full(6, 0.5), n)
    logs = np.log(np.maximum(shares, 1e-4))
    tones = np.column_stack([rng.uniform(3.0, 5.5, n), rng.uniform(0.0, 1.5, n)])
    shares = np.concatenate([shares, shares[:, 4:5]], axis=1)
    odds = 0.7 * np.concatenate([logs, logs[:, 4:5]], axis=1)
    odds[:, 4] -= 1.0
    odds[:, 6] += 2.0 * tones[:, 0] - 3.0 * tones[:, 1] - 6.0
    true = (odds + rng.gumbel(size=odds.shape)).argmax(axis=1)
    tones[::7] = np.nan
    said = {
        "is_token": np.zeros(n), "kind": np.ones(n), "color": true.astype(np.float64),
        "greys": np.ones(n), "tones": tones, "colors": shares,
        "look_colors": shares,
    }  # fmt: skip
    factor, (black, grey) = weigh_paint(said, {"color": [0.5, 0.5]})
    assert factor == pytest.approx(0.7, abs=0.1)
    assert black[0] * 4.25 + black[1] * 0.75 + black[2] == pytest.approx(-1.0, abs=0.3)
    assert grey[:2] == pytest.approx([2.0, -3.0], abs=0.6)


def test_grey_counts_as_much_as_other_colours_and_only_where_a_game_has_it() -> None:
    rng = np.random.default_rng(7)
    n = 3000
    grey = rng.random(n) < 0.02
    shares = np.full((n, 7), 0.1)
    shares[:, 6] = 0.5
    shares[:, 4] = 0.5
    tones = np.column_stack([np.where(grey, 5.0, 4.0) + rng.normal(0, 0.5, n), rng.uniform(0, 0.1, n)])
    said = {
        "is_token": np.zeros(n), "kind": np.ones(n), "color": np.where(grey, 6.0, 4.0),
        "greys": np.ones(n), "tones": tones, "colors": shares,
        "look_colors": shares,
    }  # fmt: skip

    def even(paint: list[list[float]]) -> float:
        """The level from which a piece that looks black is rather grey."""
        slope, chroma, constant = np.array(paint[1]) - np.array(paint[0])
        return float(-(constant + 0.05 * chroma) / slope)

    weights = {"color": [0.5, 0.5]}
    _, paint = weigh_paint(said, weights)
    assert even(paint) < 4.7, "one in fifty is grey, yet grey is as likely as black"
    elsewhere = {name: np.concatenate([value, value[~grey]]) for name, value in said.items()}
    elsewhere["greys"][n:] = 0.0
    assert even(weigh_paint(elsewhere, weights)[1]) == pytest.approx(even(paint), abs=0.1)


def test_what_the_print_says_is_not_counted_twice() -> None:
    rng = np.random.default_rng(6)
    n = 20000
    value, nothing = rng.uniform(0.05, 0.95, n), rng.uniform(0.05, 0.95, n)
    more = rng.choice([0.0, -3.0], n)
    odds = np.log(value / (1 - value)) + 0.5 * np.log((1 - nothing) / nothing) + more + 0.4
    said = {
        "is_token": np.zeros(n), "value": value, "kinds": np.full((n, 4), 0.25), "own": np.ones((n, 7)),
        "look_kinds": np.column_stack([nothing, 1 - nothing, np.zeros((n, 4))]),
        "colors": np.full((n, 7), 1 / 7), "look_colors": np.full((n, 7), 1 / 7),
        "kind": (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(np.float64),
    }  # fmt: skip
    assert weigh_something(said, more)["something"] == pytest.approx([1.0, 0.5, 0.4], abs=0.1)
