"""Time between looks: laws of the probabilities of what happens in between."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilesight.inference.evidence.timing import staying_nats, still_to_come, unseen_nats
from tilesight.inference.params import TIMES

SECONDS = st.floats(0.0, 3600.0)


@given(SECONDS, SECONDS)
def test_a_late_or_still_standing_piece_gets_less_likely_with_time(one_s: float, other_s: float) -> None:
    early_s, late_s = sorted((one_s, other_s))
    assert 0.0 < still_to_come(late_s) <= still_to_come(early_s) <= 1.0
    assert staying_nats(0.0) == 0.0 <= staying_nats(early_s) <= staying_nats(late_s)


@given(SECONDS, SECONDS)
def test_a_longer_gap_hides_more(one_s: float, other_s: float) -> None:
    short_s, long_s = sorted((one_s, other_s))
    assert 0.0 < unseen_nats(long_s) <= unseen_nats(short_s) + 1e-9


def test_a_camera_that_runs_sees_what_scores_at_once_and_a_minute_hides_it() -> None:
    assert unseen_nats(0.2) == pytest.approx(-math.log(TIMES.least_unseen))
    assert unseen_nats(2.0) > 3.0
    assert unseen_nats(60.0) < 1.0


def test_a_scored_piece_may_be_forgotten_for_minutes() -> None:
    assert math.exp(-staying_nats(300.0)) == pytest.approx(0.074, abs=0.01)
