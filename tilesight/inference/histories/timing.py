"""Timing: how likely a turn's stages are, given the seconds between looks.

A turn lays a tile, then a piece, then scored pieces go home. Each of the functions below is the probability
of an event between two looks or by now; all are smooth in time, so a gap of 0.2 s and one of 200 s are the
same case. Sources: a Lomax tail for what people do late or forget, a Gamma-distributed stay for what scores
at once.
"""

from __future__ import annotations

import math

from tilesight.inference.histories.params import PARAMS


def still_to_come(after_s: float) -> float:
    """Probability that a turn's piece is not on its tile yet, ``after_s`` seconds after a look showed the
    tile."""
    return float(PARAMS.late_share * (1.0 + after_s / PARAMS.late_s) ** -PARAMS.late_tail)


def forgotten(after_s: float) -> float:
    """Probability that a scored piece still stands ``after_s`` seconds after the turn that scored it."""
    return float((1.0 + after_s / PARAMS.home_s) ** -PARAMS.home_tail)


def unseen(gap_s: float) -> float:
    """Probability that a piece that scores in its own turn comes and goes within a gap of ``gap_s`` seconds
    between two looks: it stays for a Gamma-distributed time (shape 3), from a uniform moment on."""
    y = 3.0 * gap_s / PARAMS.stay_s
    if y < 0.1:
        return PARAMS.least_unseen
    seen = (3.0 - math.exp(-y) * (3.0 + 2.0 * y + y * y / 2.0)) / y
    return max(1.0 - seen, PARAMS.least_unseen)
