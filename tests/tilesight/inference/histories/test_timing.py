"""Time between looks: laws of the probabilities of what happens in between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.timing import still_standing, still_to_come, unseen_between

SECONDS = st.floats(0.0, 3600.0)


@given(SECONDS, SECONDS)
def test_a_late_or_still_standing_piece_gets_less_likely_with_time(one_s: float, other_s: float) -> None:
    early_s, late_s = sorted((one_s, other_s))
    for chance in (still_to_come, still_standing):
        assert 0.0 < chance(late_s) <= chance(early_s) <= 1.0


@given(SECONDS, SECONDS)
def test_a_longer_gap_hides_more(one_s: float, other_s: float) -> None:
    short_s, long_s = sorted((one_s, other_s))
    assert 0.0 < unseen_between(short_s) <= unseen_between(long_s) + 1e-9 <= 1.0 + 1e-9


def test_a_camera_that_runs_sees_what_scores_at_once_and_a_minute_hides_it() -> None:
    assert unseen_between(0.2) == PARAMS.least_unseen
    assert unseen_between(2.0) < 0.05
    assert unseen_between(60.0) > 0.8


def test_a_scored_piece_may_be_forgotten_for_minutes() -> None:
    assert still_standing(0.0) == 1.0
    assert still_standing(300.0) == pytest.approx(0.074, abs=0.01)
