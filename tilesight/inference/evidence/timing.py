"""Timing: probabilities of a turn's stages, given the seconds between looks.

A turn lays a tile, then a piece, then scored pieces go home. Each function is smooth in time, so that gaps of
0.2 s and of 200 s need no separate cases. What people do late or forget follows a Lomax distribution; the
time that a piece stays when it scores at once follows a Gamma distribution.
"""

from __future__ import annotations

import math

from tilesight.inference.params import TIMES


def still_to_come(after_s: float) -> float:
    """Return the probability that a turn's piece is not laid yet, ``after_s`` s after its tile was seen."""
    return float(TIMES.late_share * (1.0 + max(after_s, 0.0) / TIMES.late_s) ** -TIMES.late_tail)


def staying_nats(after_s: float) -> float:
    """Return the cost in nats of a scored piece that is still on the table ``after_s`` s after its turn."""
    return TIMES.home_tail * math.log1p(max(after_s, 0.0) / TIMES.home_s)


def unseen_nats(gap_s: float) -> float:
    """Return the cost in nats of a piece that comes and goes unseen in ``gap_s`` s between two looks.

    The piece scores in its own turn. It stays for a Gamma-distributed time (shape 3), from a uniformly
    distributed moment.
    """
    y = 3.0 * gap_s / TIMES.stay_s
    if y < 0.1:
        chance = 0.0
    elif math.isinf(y):
        chance = 1.0
    else:
        chance = 1.0 - (3.0 - math.exp(-y) * (3.0 + 2.0 * y + y * y / 2.0)) / y
    return -math.log(max(TIMES.unseen * chance, TIMES.least_unseen))
