"""Reliability of confidences: how often readings are right, by their confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

BINS = 10
"""Number of bins of equal width."""
SureAndRight = tuple[float, bool]
"""Confidence (0 to 1) of a reading, and whether it is right."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Readings in one bin of confidence: their number, mean confidence, and the share that is right."""

    count: int
    confidence: float
    right: float


def reliability(readings: Sequence[SureAndRight]) -> tuple[ReliabilityBin, ...]:
    """Return all `BINS` bins of confidence, the surest last; an empty one has zeros."""
    sure = np.array([confidence for confidence, _ in readings], np.float64)
    right = np.array([exact for _, exact in readings], np.float64)
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    bins = []
    for number in range(BINS):
        here = place == number
        count = int(here.sum())
        mean = (float(sure[here].mean()), float(right[here].mean())) if count else (0.0, 0.0)
        bins.append(ReliabilityBin(count, *mean))
    return tuple(bins)


def bins_json(readings: Sequence[SureAndRight]) -> list[dict[str, float]]:
    """Return the bins that are not empty, as JSON, for ``--json``."""
    return [asdict(one) for one in reliability(readings) if one.count]


def calibration_error(readings: Sequence[SureAndRight]) -> float | None:
    """Return the expected calibration error, weighted by the counts of the bins; None without readings.

    See Naeini et al., 'Obtaining well calibrated probabilities', AAAI 2015.
    """
    if not readings:
        return None
    return sum(one.count * abs(one.right - one.confidence) for one in reliability(readings)) / len(readings)
