"""Place choice: joint probabilities of places for pieces whose number is known.

Pieces that stand on empty cells, one per cell, are always on the table. If three places are equally likely
for one piece, each gets a third.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.pieces.params import PARAMS

F64 = NDArray[np.float64]
PlaceKey = TypeVar("PlaceKey")

SUREST = 1 - 1e-6
"""Maximum probability of a single candidate, so that odds stay finite."""


def share_among(
    alone: Mapping[PlaceKey, float], number: int, out_of_sight: float | None = None
) -> dict[PlaceKey, float]:
    """The marginal probability that each place holds a piece, if ``number`` pieces are on the table.

    ``alone`` are the independent probabilities of the places. Every set of at most ``number`` places is
    weighted by the product of its places' odds, times ``out_of_sight`` per missing piece (default:
    `PiecesParams.unseen_odds`). The marginals sum to ``number`` at most.
    """
    if number < 1:
        return dict.fromkeys(alone, 0.0)
    sure = np.clip(np.fromiter(alone.values(), np.float64, len(alone)), 0.0, SUREST)
    odds = sure / (1.0 - sure)
    unseen = (PARAMS.unseen_odds if out_of_sight is None else out_of_sight) ** np.arange(
        number, -1, -1, dtype=np.float64
    )
    total = float(_sums(odds, number) @ unseen)
    return {
        place: float(odds[k] * (_sums(np.delete(odds, k), number)[:-1] @ unseen[1:]) / total)
        for k, place in enumerate(alone)
    }


def _sums(odds: F64 | Sequence[float], most: int) -> F64:
    """Return the elementary symmetric polynomials (most + 1,) of the odds.
    Item k is the sum, over all sets of k odds, of their product."""
    sums = np.zeros(most + 1)
    sums[0] = 1.0
    for one in odds:
        sums[1:] += one * sums[:-1]
    return sums
