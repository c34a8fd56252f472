"""Weights: fusion of the outputs of detector and classifier for one piece.

They are fitted after the networks' training (`models.train.piece_classifier.weigh`) and stored in the
manifest entry of the classifier.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.pieces.detector import COLORS
from vision.probability import sigmoid

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

BLACK = COLORS.index("black")
"""Index of black, as which the detector classifies grey."""
ALL_COLORS = (*COLORS, "grey")
"""Reported colours, in the order of the classifier's output; the detector does not know grey, the last."""
GREY = len(COLORS)
"""Index of grey."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Fusion weights of detector and classifier (look).
    ``something`` and ``token`` are the factors of the detector's and the look's log-odds, and a constant;
    ``kind`` and ``color`` the exponents of their odds.

    ``other`` are the factor of the look's log-odds that a piece is of no known kind, and a constant; together
    the log-likelihood ratio. ``pose`` are for the log-odds that a meeple lies: a factor, its increase with
    the lean of standing pieces (in tile sides: little where it is seen steeply), an increase with the lean,
    and a constant.
    ``foreign`` are the factors of the log share of the seen colours that the game has: black in a game
    without black pieces is a shadow. ``unexplained`` are the factor of a look's unexplained variance, in
    nats, and the limit below which it is evidence against a piece. If the tone is known
    (`vision.pieces.tone`), ``tinted`` is the factor of the log-odds of colours, and ``paint`` are linear
    coefficients of the tone and a constant, in nats, for black and for grey.
    """

    something: tuple[float, float, float] = (0.5, 0.7, 0.0)
    token: tuple[float, float, float] = (0.5, 0.7, 0.0)
    kind: tuple[float, float] = (0.3, 1.0)
    color: tuple[float, float] = (0.3, 1.0)
    other: tuple[float, float] = (1.0, 0.0)
    pose: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    foreign: tuple[float, float] = (0.0, 0.0)
    unexplained: tuple[float, float] = (0.0, 0.0)
    tinted: float = 1.0
    paint: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def of(cls, meta: Mapping[str, object]) -> Weights:
        """Read the weights from a manifest entry's ``meta``; the defaults for those that it lacks."""
        told: Mapping[str, Any] = meta.get("weights") or {}  # type: ignore[assignment]
        named: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items()}
        return cls(**named)

    def by_print(self, left_over: float) -> float:
        """Return evidence, in nats (≤ 0), for a piece; ``left_over`` is the look's unexplained log share."""
        factor, enough = self.unexplained
        return factor * min(left_over - enough, 0.0)

    def other_nats(self, kinds: F32) -> F64:
        """Return the log-likelihood ratios (n,), in nats, of pieces of no known kind.
        ``kinds`` (n, 6) are the looks' probabilities of nothing, four known kinds, and other pieces. All four
        count, whatever the game has: what looks like a hut is seldom a disc."""
        factor, constant = self.other
        shares = kinds[:, -1] / np.maximum(kinds[:, 1:].sum(axis=1), 1e-6)
        return np.array([factor * log_odds(float(share)) + constant for share in shares], np.float64)

    def of_lying(self, share: float, lean: float) -> float:
        """Return the probability that a meeple lies, by what both networks say together (``share``).
        ``lean`` is how far standing pieces lean there, in tile sides."""
        factor, more, leant, constant = self.pose
        return sigmoid((factor + more * lean) * log_odds(share) + leant * lean + constant)

    def tints(self, detector: F32, look: F32, tones: F32) -> F32:
        """Return odds (n, 7) of each of `ALL_COLORS`.
        ``detector`` (n, 6) and ``look`` (n, 7) are the outputs of the two networks, ``tones`` (n, TONES) are
        NaN if unknown."""
        odds = odds_of(np.column_stack([detector, detector[:, BLACK]]), look, self.color)
        known = np.flatnonzero(np.isfinite(tones).all(axis=1))
        if self.paint and len(known):
            odds[known] **= self.tinted
            nats = np.column_stack([tones[known], np.ones(len(known))]) @ np.asarray(self.paint).T
            odds[np.ix_(known, np.array([BLACK, GREY]))] *= np.exp(nats).astype(np.float32)
        return odds


def both(detector: float, look: float, weights: tuple[float, float, float], more: float = 0.0) -> float:
    """Fuse the probabilities of detector and look by log-odds; return a probability.
    ``weights`` are the factors of the two and a constant; ``more`` is further evidence in nats."""
    a, b, c = weights
    return sigmoid(a * log_odds(detector) + b * log_odds(look) + c + more)


def log_odds(p: float) -> float:
    """The log-odds of a probability, clipped to 1e-4 .. 1 - 1e-4."""
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def mean_odds(p: float, q: float) -> float:
    """The probability whose log-odds are the mean of those of ``p`` and ``q``."""
    return sigmoid((log_odds(p) + log_odds(q)) / 2)


def both_ways(kinds: F32, mirrored: F32) -> F32:
    """Return ``kinds`` (n, 6), of looks, with the log-odds of nothing, the first, averaged.
    ``mirrored`` (n, 6) are the kinds of their mirror images."""
    nothing = np.clip(np.stack([kinds[:, :1], mirrored[:, :1]]), 1e-4, 1 - 1e-4)
    odds = np.sqrt((nothing / (1 - nothing)).prod(axis=0))
    rest = np.maximum(kinds[:, 1:], 1e-7)
    there = rest / (rest.sum(axis=1, keepdims=True) * (1 + odds))
    return np.asarray(np.concatenate([odds / (1 + odds), there], axis=1), np.float32)


def odds_of(detector: F32, look: F32, weights: tuple[float, float]) -> F32:
    """Fuse the distributions (n,) of detector and look to unnormalised odds (n,).
    ``weights`` are the exponents of the two."""
    a, b = weights
    return np.asarray(np.maximum(detector, 1e-4) ** a * np.maximum(look, 1e-4) ** b, np.float32)
