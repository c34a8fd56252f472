"""Place choice: which of several places carry a piece that the game has a known number of, weighed together.

Pieces that stand beside the tiles, each on a space of its own, are always on the table. What looks like one
on bare cloth is told from a true one by what else there is: of three places that are equally likely for one
piece, each gets a third.
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
"""Probability above which no candidate is by itself: odds stay finite."""


def share_among(
    alone: Mapping[PlaceKey, float], number: int, out_of_sight: float | None = None
) -> dict[PlaceKey, float]:
    """The probability that a piece stands on each of some spaces, when ``number`` are on the table.

    ``alone`` is how likely each space carries one by what is seen there (0..1). Each set of ``number`` spaces
    or fewer is weighed by the product of its spaces' odds, and by ``out_of_sight`` for each piece that is on
    none of them (default: the tuned `PiecesParams.unseen_odds`). The probabilities sum to ``number`` at most.
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
    """The sums (most + 1,) over all sets of 0, 1, … ``most`` of the products of their odds."""
    sums = np.zeros(most + 1)
    sums[0] = 1.0
    for one in odds:
        sums[1:] += one * sums[:-1]
    return sums
