"""Probabilities, log-odds and sums of log-probabilities."""

from __future__ import annotations

from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Floating = TypeVar("Floating", bound=np.floating)

LARGEST_LOG_ODDS = 60.0
"""Log-odds at which a probability equals 0 or 1 in double precision."""


@overload
def sigmoid(log_odds: float) -> float: ...


@overload
def sigmoid(log_odds: NDArray[Floating]) -> NDArray[Floating]: ...


def sigmoid(log_odds: float | NDArray[Floating]) -> float | NDArray[Floating]:
    """Convert log-odds, clipped to ±LARGEST_LOG_ODDS, to probabilities of the same shape and type."""
    probability = 1 / (1 + np.exp(-np.clip(log_odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)))
    return probability if isinstance(log_odds, np.ndarray) else float(probability)


def logit(probability: float) -> float:
    """Convert a probability to log-odds; ±LARGEST_LOG_ODDS for 1 and above, and for 0 and below."""
    if not 0.0 < probability < 1.0:
        return LARGEST_LOG_ODDS if probability >= 1.0 else -LARGEST_LOG_ODDS
    return float(np.log(probability / (1.0 - probability)))


def log_sum_exp(values: NDArray[Floating], axis: int | None = None) -> NDArray[Floating]:
    """The logarithm of the sum of the exponentials along ``axis`` (None: of all values), without overflow."""
    top = values.max(axis=axis, keepdims=True)
    summed = np.log(np.exp(values - top).sum(axis=axis, keepdims=True)) + top
    return np.asarray(np.squeeze(summed, axis=axis))


def with_evidence(probability: float, nats: float) -> float:
    """Update a probability, neither 0 nor 1, with ``nats`` of log-odds evidence for it."""
    return sigmoid(logit(probability) + nats)
