"""Doubtful turns: those whose confidence is too low to count as certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def sure_winners(ranges: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return who wins whatever the uncertain points are; empty while that is open.

    ``ranges`` has each player's least and most points by colour. Several players share the victory.
    """
    to_beat = max((least for least, _ in ranges.values()), default=0)
    able = [color for color, (_, most) in ranges.items() if most >= to_beat]
    known = len(able) == 1 or all(ranges[color][0] == ranges[color][1] for color in able)
    return able if known else []
