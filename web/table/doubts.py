"""Doubtful turns: those whose confidence is too low to count as certain."""

from __future__ import annotations

from collections.abc import Sequence

SURE = 0.9
"""Confidence from which a turn counts as certain."""


def is_doubtful(confidence: float | None) -> bool:
    """Whether a turn of this confidence is marked as uncertain. A turn without a confidence (None) is not."""
    return confidence is not None and round(confidence, 4) < SURE


def doubtful_turns(confidences: Sequence[float | None]) -> dict[int, float]:
    """Return the confidence of each uncertain turn by its number (from 1).

    ``confidences`` are those of all turns.
    """
    return {
        number: confidence
        for number, confidence in enumerate(confidences, 1)
        if confidence is not None and is_doubtful(confidence)
    }
