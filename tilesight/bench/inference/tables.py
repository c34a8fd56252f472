"""Quantile tables of measured readings, and correlated draws from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Quantile function of a measured number: ``values`` at the shares ``at`` (0 to 1), worst first."""

    at: tuple[float, ...]
    values: tuple[float, ...]

    def value(self, share: float, hardness: float = 1.0) -> float:
        """Interpolate the value at a share of 0 to 1.

        A ``hardness`` above 1 makes bad readings more frequent, 0 gives the best reading always.
        """
        return float(np.interp(share**hardness, self.at, self.values))


def share_of(normal: float) -> float:
    """Return the standard normal cumulative distribution, 0 to 1, at a value."""
    return 0.5 * (1.0 + math.erf(normal / math.sqrt(2.0)))


def mixed(parts: Sequence[tuple[float, float]]) -> float:
    """Combine independent standard normal values, given as (share of the variance, value).

    The result is standard normal if the shares add up to 1.
    """
    return sum(math.sqrt(part) * value for part, value in parts)
