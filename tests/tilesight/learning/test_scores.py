"""Laws of the division in time, and what counts as better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tilesight.learning.test_labels import label
from tilesight.learning.labels import HomeLabel
from tilesight.learning.scores import LEAST_GAIN, LEAST_THINGS, Score, in_time, is_better, scored, things

Views = list[tuple[int, int, int]]


def home(views: Views) -> list[HomeLabel]:
    """Labels of (order of the set, picture, tile)."""
    return [HomeLabel(label(picture, place=str(tile)), Path(), order) for order, picture, tile in views]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 9)), max_size=60))
def test_nothing_held_out_was_seen_by_the_fit(views: Views) -> None:
    parts = in_time(home(views))
    fit, held_out = {one.thing for one in parts.fit}, {one.thing for one in parts.held_out}
    assert not fit & held_out
    assert fit | held_out == {one.thing for one in home(views)}
    if parts.fit and parts.held_out:
        assert max(one.time for one in parts.fit) < min(one.time for one in parts.held_out)


def test_each_tile_weighs_the_same_however_often_it_was_seen() -> None:
    labels = home([(0, n, 1) for n in range(9)] + [(0, 1, 2)])
    probs = np.array([[0.5, 0.5]] * 9 + [[0.99, 0.01]])
    score = scored(labels, probs, [0] * 9 + [1])
    assert score.wrong == 1 and score.sure_wrong == 1 and score.readings == 10
    assert np.isclose(score.loss, (np.log(2) - np.log(0.01)) / 2)
    assert things(labels) == 2


def score(losses: list[float], wrong: int = 0, sure: int = 0) -> Score:
    return Score(10, wrong, sure, {(0, str(n)): loss for n, loss in enumerate(losses)})


def test_better_is_more_than_chance_and_nothing_worse() -> None:
    before = score([0.5, 0.6, 0.4, 0.5], wrong=3, sure=1)
    assert is_better(score([0.3, 0.4, 0.2, 0.3], wrong=3), before)
    assert not is_better(score([0.3, 0.4, 0.2, 0.3], wrong=4), before)
    assert not is_better(score([0.3, 0.4, 0.2, 0.3], wrong=3, sure=2), before)
    assert not is_better(score([0.0, 0.9, 0.4, 0.6], wrong=0), before)  # as likely chance
    assert not is_better(score([loss - LEAST_GAIN / 2 for loss in (0.5, 0.6, 0.4, 0.5)]), before)
    assert not is_better(before, before)


def test_few_things_are_not_enough() -> None:
    assert not in_time([]).enough
    few = [(0, n, n) for n in range(2 * LEAST_THINGS - 1)]
    assert not in_time(home(few)).enough
    assert in_time(home([*few, (0, 99, 99)])).enough
