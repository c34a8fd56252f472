"""Fit of a gallery's temperature: how certain its readings are, against how often they are right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

RANGE = np.geomspace(0.5, 4.0, 43)
"""Temperatures that are tried."""


def fit_temperature(
    log_probs: NDArray[np.floating], designs: Sequence[int], groups: Sequence[Hashable]
) -> float:
    """Return the temperature of `RANGE` with the least log loss of the designs.

    ``log_probs`` [n, faces, 4] are readings at temperature 1, ``designs`` [n] the indices of the tiles'
    designs by the labels. Readings of one tile share their errors, so each of ``groups`` [n] counts once.
    """
    numbers = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    group = np.array([numbers[one] for one in groups])
    rows = np.asarray(log_probs, np.float64)
    losses = []
    for temperature in RANGE:
        cooled = np.logaddexp.reduce(rows / temperature, axis=2)
        cooled -= np.logaddexp.reduce(cooled, axis=1, keepdims=True)
        loss = -cooled[np.arange(len(rows)), list(designs)]
        losses.append((np.bincount(group, loss) / np.bincount(group)).mean())
    return float(RANGE[int(np.argmin(losses))])
