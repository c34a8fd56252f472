"""Places that look like a piece of which there is a known number are weighed against each other."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest

from vision.pieces.params import PARAMS
from vision.pieces.place_choice import share_among


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_probabilities_are_those_of_all_sets_of_places(number: int) -> None:
    alone = {k: float(p) for k, p in enumerate(np.random.default_rng(5).uniform(0.05, 0.99, 6))}
    odds = {k: p / (1 - p) for k, p in alone.items()}
    sets = {
        places: prod(odds[k] for k in places) * PARAMS.unseen_odds ** (number - size)
        for size in range(number + 1)
        for places in combinations(alone, size)
    }
    total = sum(sets.values())
    for k, sure in share_among(alone, number).items():
        assert sure == pytest.approx(sum(weight for places, weight in sets.items() if k in places) / total)


def test_two_places_that_look_alike_share_the_one_piece_that_is_left() -> None:
    sure = share_among({"plain": 0.995, "one": 0.958, "other": 0.958}, 2)
    assert sure["plain"] > 0.94
    assert sure["one"] == sure["other"] == pytest.approx(0.5, abs=0.03)


def test_a_faint_one_is_the_missing_piece_where_nothing_rivals_it() -> None:
    assert share_among({"plain": 0.99, "faint": 0.2}, 2)["faint"] > 0.65
    assert share_among({"plain": 0.99, "other": 0.99, "faint": 0.2}, 2)["faint"] < 0.01


def test_a_game_without_such_pieces_has_none() -> None:
    assert share_among({"white": 0.99}, 0) == {"white": 0.0}
    assert share_among({}, 2) == {}
    assert share_among({"certain": 1.0}, 1)["certain"] == pytest.approx(1.0)
