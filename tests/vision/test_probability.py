"""Probabilities and log-odds."""

from __future__ import annotations

import numpy as np
import pytest

from vision.probability import logit, sigmoid, with_evidence


def test_odds_are_swayed_evenly() -> None:
    assert with_evidence(0.5, 0.0) == 0.5
    assert with_evidence(0.8, 1.0) == pytest.approx(1 - with_evidence(0.2, -1.0))
    assert with_evidence(0.7, -1.0) < 0.5 < with_evidence(0.4, 1.0)


def test_log_odds_undo_a_sigmoid_and_stay_finite() -> None:
    assert logit(sigmoid(-1.25)) == pytest.approx(-1.25)
    assert -logit(0.0) == logit(1.0) < np.inf


def test_a_sigmoid_keeps_shape_and_type_and_never_overflows() -> None:
    assert sigmoid(0.0) == 0.5
    assert sigmoid(-1000.0) == pytest.approx(0.0)
    both = sigmoid(np.array([[1e9], [-1e9]], np.float32))
    assert both.dtype == np.float32
    assert both.ravel().tolist() == pytest.approx([1.0, 0.0])
