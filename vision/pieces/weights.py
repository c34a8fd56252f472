"""Weights: how far detector and classifier are believed where they speak of the same piece.

They are fitted after the networks' training (`models.train.piece_classifier.weigh`) and stand in the manifest
entry of the looks.
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

BLACK = COLORS.index("black")
"""Index of the colour that the networks take grey for."""
ALL_COLORS = (*COLORS, "grey")
"""Colours that are told: those of the networks, and grey."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of detector and look: ``something`` and ``token`` are the factors of the detector's
    log-odds and of the look's, and a constant; ``kind`` and ``color`` the exponents of their odds.

    ``foreign`` are the factors of the logarithm of how much of their colours the game has: what is black in
    a game without black pieces is a shadow. ``unexplained`` are the factor of what the known print leaves
    over of a look, in nats, and the nats from which it speaks against a piece. Where the tone of a piece is
    known (`vision.pieces.tone`), ``tinted`` is the factor of the log-odds of its colours, and ``paint`` holds
    for black, and for grey, which no network knows and which takes black's odds, the factors of the tone and
    a constant, in nats: which dye it is, the networks tell, whether it is one, the tone."""

    something: tuple[float, float, float] = (0.5, 0.7, 0.0)
    token: tuple[float, float, float] = (0.5, 0.7, 0.0)
    kind: tuple[float, float] = (0.3, 1.0)
    color: tuple[float, float] = (0.3, 1.0)
    foreign: tuple[float, float] = (0.0, 0.0)
    unexplained: tuple[float, float] = (0.0, 0.0)
    tinted: float = 1.0
    paint: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def of(cls, meta: Mapping[str, object]) -> Weights:
        """Those of a manifest entry; the defaults where it has none."""
        told: Mapping[str, Any] = meta.get("weights") or {}  # type: ignore[assignment]
        named: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items()}
        return cls(**named)

    def by_print(self, left_over: float) -> float:
        """Evidence (nats, 0 or less) for a piece from what the print leaves over of its look."""
        factor, enough = self.unexplained
        return factor * min(left_over - enough, 0.0)

    def tints(self, detector: F32, look: F32, tone: F32) -> F32:
        """Odds (7,) of each colour and grey by what both networks say (6,) and the ``tone`` (TONES,); 0 for
        grey where the tone is not known."""
        odds = odds_of(detector, look, self.color)
        if not self.paint or not np.isfinite(tone).all():
            return np.append(odds, np.float32(0.0))
        odds **= self.tinted
        black, grey = np.asarray(self.paint) @ np.append(tone, 1.0)
        odds = np.append(odds, odds[BLACK] * math.exp(grey))
        odds[BLACK] *= math.exp(black)
        return np.asarray(odds, np.float32)


def both(detector: float, look: float, weights: tuple[float, float, float], more: float = 0.0) -> float:
    """The probability that both give together; ``more`` nats speak for it."""
    a, b, c = weights
    return sigmoid(a * log_odds(detector) + b * log_odds(look) + c + more)


def log_odds(p: float) -> float:
    """The log-odds of a probability, kept finite."""
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def mean_odds(p: float, q: float) -> float:
    """The probability whose log-odds are the mean of both."""
    return sigmoid((log_odds(p) + log_odds(q)) / 2)


def mean_share(p: F32, q: F32) -> F32:
    """The shares whose logarithms are, but for a constant, the mean of both."""
    mixed = np.sqrt(np.maximum(p, 1e-4) * np.maximum(q, 1e-4))
    return np.asarray(mixed / mixed.sum(), np.float32)


def odds_of(detector: F32, look: F32, weights: tuple[float, float]) -> F32:
    """Odds of each kind or colour, from both."""
    a, b = weights
    return np.asarray(np.maximum(detector, 1e-4) ** a * np.maximum(look, 1e-4) ** b, np.float32)
