"""Quantile tables, and draws from them."""

from __future__ import annotations

import pytest

from tilesight.bench.inference.tables import Quantiles, mixed, share_of

TABLE = Quantiles((0.0, 0.5, 1.0), (-2.0, 4.0, 6.0))


def test_a_table_gives_its_values_and_those_between() -> None:
    assert [TABLE.value(share) for share in (0.0, 0.25, 0.5, 1.0)] == [-2.0, 1.0, 4.0, 6.0]


def test_hardness_makes_bad_readings_more_frequent() -> None:
    assert TABLE.value(0.5, 2.0) < TABLE.value(0.5) < TABLE.value(0.5, 0.5)
    assert TABLE.value(0.01, 0.0) == 6.0


def test_normal_values_become_shares() -> None:
    assert share_of(0.0) == 0.5
    assert share_of(1.0) == pytest.approx(0.841, abs=0.001)
    assert mixed(((0.36, 1.0), (0.64, -1.0))) == pytest.approx(0.6 - 0.8)
