"""Probabilities and the log-odds that evidence adds up in."""

from __future__ import annotations

from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Floating = TypeVar("Floating", bound=np.floating)

LARGEST_LOG_ODDS = 60.0
"""Log-odds beyond which a probability is 0 or 1 to a double's last digit."""


@overload
def sigmoid(log_odds: float) -> float: ...


@overload
def sigmoid(log_odds: NDArray[Floating]) -> NDArray[Floating]: ...


def sigmoid(log_odds: float | NDArray[Floating]) -> float | NDArray[Floating]:
    """The probability of these log-odds, of the same shape and type."""
    probability = 1 / (1 + np.exp(-np.clip(log_odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)))
    return probability if isinstance(log_odds, np.ndarray) else float(probability)


def logit(probability: float) -> float:
    """The log-odds of a probability, at most `LARGEST_LOG_ODDS` either way."""
    if not 0.0 < probability < 1.0:
        return LARGEST_LOG_ODDS if probability >= 1.0 else -LARGEST_LOG_ODDS
    return float(np.log(probability / (1.0 - probability)))


def swayed(probability: float, nats: float) -> float:
    """A probability, neither 0 nor 1, with that much more evidence for it."""
    return sigmoid(logit(probability) + nats)
