"""How confidences compare with what was right."""

from __future__ import annotations

import pytest

from tilesight.sessions.comparison import bins, calibration_error


def test_confidences_that_are_right_as_often_as_they_say_have_no_error() -> None:
    told = [(0.75, True)] * 3 + [(0.75, False)] + [(1.0, True)] * 4
    assert calibration_error(told) == pytest.approx(0.0)
    assert [(one["count"], one["right"]) for one in bins(told)] == [(4, 0.75), (4, 1.0)]


def test_what_is_told_surely_and_wrongly_is_an_error() -> None:
    assert calibration_error([(1.0, True), (1.0, False)]) == pytest.approx(0.5)
    assert calibration_error([]) == 0.0
