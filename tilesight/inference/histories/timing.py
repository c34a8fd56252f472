"""Timing: probabilities of a turn's stages, given the seconds between looks.

A turn lays a tile, then a piece, then scored pieces go home. Each function below is the probability of one of
these events, smooth in time, so that gaps of 0.2 s and 200 s need no separate cases. What people do late or
forget follows a Lomax distribution; the time that a piece stays when it scores at once follows a Gamma
distribution.
"""

from __future__ import annotations

import math

from tilesight.inference.histories.params import PARAMS


def still_to_come(after_s: float) -> float:
    """Return the probability that a turn's piece is not yet laid, ``after_s`` s after its tile was seen."""
    return float(PARAMS.late_share * (1.0 + after_s / PARAMS.late_s) ** -PARAMS.late_tail)


def still_standing(after_s: float) -> float:
    """Return the probability that a scored piece is still on the table, ``after_s`` s after its turn."""
    return float((1.0 + after_s / PARAMS.home_s) ** -PARAMS.home_tail)


def unseen_between(gap_s: float) -> float:
    """Return the probability that a piece comes and goes unseen in a gap of ``gap_s`` s between two looks.

    The piece scores in its own turn. It stays for a Gamma-distributed time (shape 3), from a uniformly
    distributed moment. At least ``least_unseen``.
    """
    y = 3.0 * gap_s / PARAMS.stay_s
    if y < 0.1:
        return PARAMS.least_unseen
    seen = (3.0 - math.exp(-y) * (3.0 + 2.0 * y + y * y / 2.0)) / y
    return max(1.0 - seen, PARAMS.least_unseen)
