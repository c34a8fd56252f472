"""How confidences compare with what was right."""

from __future__ import annotations

import pytest

from tilesight.grading.reliability import bins_json, calibration_error, reliability


def test_honest_confidence_has_no_calibration_error() -> None:
    honest = [(0.75, True), (0.75, True), (0.75, True), (0.75, False), (1.0, True)]
    assert calibration_error(honest) == pytest.approx(0.0)
    assert calibration_error([(1.0, True), (1.0, False)]) == pytest.approx(0.5)
    assert calibration_error([]) is None


def test_reliability_is_told_by_bins() -> None:
    bins = reliability([(0.95, True), (0.97, False), (1.0, True), (0.31, False)])
    assert [one.count for one in bins] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 3]
    assert bins[9].right == pytest.approx(2 / 3)
    assert bins[3].confidence == pytest.approx(0.31)


def test_bins_of_which_nothing_was_told_are_left_out_of_the_json() -> None:
    told = [(0.75, True)] * 3 + [(0.75, False)] + [(1.0, True)] * 4
    assert [(one["count"], one["right"]) for one in bins_json(told)] == [(4, 0.75), (4, 1.0)]
