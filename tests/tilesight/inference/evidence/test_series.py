"""Series of looks: the cost of contradicting them, against a slow and plain calculation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilesight.inference.evidence.series import Series

NATS = st.one_of(st.just(0.0), st.floats(0.1, 6.0), st.floats(-5.0, -0.1))
SERIES = st.lists(NATS, min_size=1, max_size=14)
RHO = 2.0


def series_of(nats: list[float]) -> Series:
    series = Series()
    for look, one in enumerate(nats):
        series.add(look, one)
    return series


def plain_cost(nats: list[float], sign: int) -> float:
    """The cost of the looks of a sign: run by run, a run ends where the other sign interrupts it."""
    runs: list[list[float]] = [[]]
    for one in nats:
        if one * sign > 0:
            runs[-1].append(abs(one))
        elif one * sign < 0:
            runs.append([])
    total = 0.0
    for run in filter(None, runs):
        s1, s2 = sum(run), sum(one * one for one in run)
        number, mean = s1 * s1 / s2, s2 / s1
        total += mean * (1.0 + math.log1p(RHO * (number - 1.0)) / RHO)
    return total


@given(SERIES, st.data())
def test_the_cost_of_any_interval_is_that_of_its_runs(nats: list[float], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(nats)))
    end = data.draw(st.integers(first, len(nats)))
    costs = series_of(nats).costs(len(nats), RHO)
    for sign in (1, -1):
        assert costs.cost(first, end, sign) == pytest.approx(plain_cost(nats[first:end], sign), abs=1e-6)


@given(SERIES)
def test_arrivals_weigh_every_first_look_against_none(nats: list[float]) -> None:
    never = plain_cost(nats, 1)
    expected = [never - plain_cost(nats[:k], 1) - plain_cost(nats[k:], -1) for k in range(len(nats) + 1)]
    assert np.allclose(series_of(nats).costs(len(nats), RHO).arrivals(), expected, atol=1e-6)


@given(st.floats(0.5, 6.0), st.integers(2, 600))
def test_equal_pictures_of_one_look_are_as_many_looks(nats: float, pictures: int) -> None:
    one, many = Series(), series_of([nats] * pictures)
    one.add(0, nats, pictures)
    costs = one.costs(1, RHO).cost(0, 1, 1), many.costs(pictures, RHO).cost(0, pictures, 1)
    assert costs[0] == pytest.approx(costs[1])
    assert costs[0] < 5.0 * nats  # 600 pictures at rest are no 600 witnesses


def test_what_came_and_left_is_not_there() -> None:
    costs = series_of([-4.5, 6.0, 6.0, -4.5, -4.5]).costs(5, RHO)
    assert costs.passing() == 0.0
    assert costs.arrivals().max() > 0.0 > costs.arrivals(4.0).max() - 1e-9
    assert series_of([-4.5, 6.0, 6.0]).costs(3, RHO).passing() == math.inf  # it is still there


def test_the_worked_example_of_the_documentation() -> None:
    arrivals = series_of([-4.5, 6.0, 2.5]).costs(3, RHO).arrivals()
    assert arrivals[1] == pytest.approx(7.2, abs=0.05)  # with picture 2, against never
    assert arrivals[1] - arrivals[2] == pytest.approx(6.0)
