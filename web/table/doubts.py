"""Doubts that stay visible: turns that are not sure."""

from __future__ import annotations

from collections.abc import Sequence

SURE = 0.9
"""Probability from which on a turn counts as sure."""


def is_doubtful(confidence: float | None) -> bool:
    """Whether a turn of that confidence is marked until people say what was played, or pictures do."""
    return confidence is not None and round(confidence, 4) < SURE


def doubtful_turns(confidences: Sequence[float | None]) -> dict[int, float]:
    """The confidence in each turn that is not sure, by its number from 1, where all have ``confidences``."""
    return {
        number: confidence
        for number, confidence in enumerate(confidences, 1)
        if confidence is not None and is_doubtful(confidence)
    }
