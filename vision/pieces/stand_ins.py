"""Stand-ins: joint probabilities that pieces are of no known kind, because a player's pieces are alike.

A player has meeples, or has lost them and plays with discs, stones or the like. Which of the two is latent
for each colour; what the looks of all other pieces of a colour say about it is the prior of a single piece.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vision.pieces.params import PARAMS
from vision.probability import sigmoid

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


def other_shares(nats: F64, colors: F32, weight: F64) -> F64:
    """Return the probability (n,) of each piece to be of no known kind.

    ``nats`` (n,) are the log-likelihood ratios by its look alone, ``colors`` (n, c) the probabilities of its
    colour, ``weight`` (n,) 0..1 that it is a piece at all. A piece tells nothing about itself twice.
    """
    known, lost = PARAMS.odd_share, 1.0 - PARAMS.kept_share
    ratio = np.exp(nats)
    told = np.log1p(lost * (ratio - 1.0)) - np.log1p(known * (ratio - 1.0))
    each = (weight * told)[:, None] * colors
    without = math.log(PARAMS.lost_odds) + each.sum(axis=0) - each
    of_colour = known + (lost - known) * sigmoid(without)
    prior = np.clip((colors * of_colour).sum(axis=1), known, lost)
    return np.asarray(sigmoid(np.log(prior / (1.0 - prior)) + nats), np.float64)


def something_share(kinds: F32, strange: float) -> float:
    """Return the probability that there is a piece at all, by its look.

    ``kinds`` (6,) are those of nothing, four known kinds, and other pieces; ``strange`` is `other_shares`. On
    the tables of training other pieces are frequent: where ``strange`` is less, so is what they add.
    """
    known, other = float(kinds[1:-1].sum()), float(kinds[-1])
    there = known + min(other, known * strange / max(1.0 - strange, 1e-9))
    return there / max(there + float(kinds[0]), 1e-9)
