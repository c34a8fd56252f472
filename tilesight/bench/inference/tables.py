"""Quantile tables of measured readings, and draws from them that may be correlated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Distribution of a measured number: ``values`` at the shares ``at``, the worst readings first."""

    at: tuple[float, ...]
    values: tuple[float, ...]

    def value(self, share: float, hardness: float = 1.0) -> float:
        """The value at a share, 0 to 1. With a ``hardness`` above 1 bad readings are more frequent, with 0
        there are none."""
        return float(np.interp(share**hardness, self.at, self.values))


def share_of(normal: float) -> float:
    """Share, 0 to 1, of a standard normal distribution below a value."""
    return 0.5 * (1.0 + math.erf(normal / math.sqrt(2.0)))


def mixed(parts: Sequence[tuple[float, float]]) -> float:
    """Standard normal value made of independent ones: (variance that it has of it, value)."""
    return sum(math.sqrt(part) * value for part, value in parts)
