"""Paints: joint classification of the colours of all pieces in one picture.

The pieces of one player share one paint. The model is a mixture of Gaussians: on each table each colour has a
paint, drawn around that colour's mean; all paints of a table share an error of the measured light; each piece
shows its paint with some scatter. The networks' outputs are the prior of each piece's colour, and mean-field
inference (Bishop, 'Pattern Recognition and Machine Learning', 2006, section 10.2) alternates between colours
and paints. Thus a dark blue is separated from black if both are on the table, although each alone appears
black.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models import ModelError
from vision.pieces.tone import LEAST_PX
from vision.tiles.reprojection import Light

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

LOOKS = 4
"""Number of features of a photographed paint."""
DARK = 8.0
"""Grey levels that are added before a logarithm, about the level of noise."""
WHITE = 255.0
"""Grey level of white print in the gallery's pictures."""
UNKNOWN_PRINT = 120.0
"""Mean grey level of print, from which the light is estimated if no face is known."""
ROUNDS = 12
"""Maximum number of rounds of inference."""
SETTLED = 1e-3
"""Maximum change of a probability at which inference stops."""
TAILS = 1.0
"""Degrees of freedom of a piece's scatter: gloss and shadows cause outliers."""
FEWEST = 0.3
"""Minimum (fractional) number of pieces of a colour that counts in the estimate of the light."""


def photographed_paints(pictures: F32, own: NDArray[np.bool_]) -> F32:
    """Return the photographed paint (n, LOOKS) of the piece in each look; NaN if few pixels are its own.

    It is the logarithms of the median blue, green and red of the piece's own pixels, and the log ratio of its
    lit side to its middle (gloss). Arguments as for `vision.pieces.tone.tones`.
    """
    out = np.full((len(pictures), LOOKS), np.nan, np.float32)
    for k, (look, mask) in enumerate(zip(pictures, own, strict=True)):
        if mask.sum() >= LEAST_PX:
            middle, lit = np.percentile((look[:3, mask] + 1.0) * 127.5, (50, 85), axis=1)
            gloss = np.log(lit.mean() + DARK) - np.log(middle.mean() + DARK)
            out[k] = np.append(np.log(middle + DARK), gloss)
    return out


def under_light(paints: F32, light: Light | None, mean_bgr: F32) -> F64:
    """Normalise photographed paints (n, LOOKS) by the light: level, two colour differences, gloss.
    If ``light`` is None, it is estimated from ``mean_bgr`` (3,) of the board, in grey levels."""
    gain = light[0] if light is not None else mean_bgr / UNKNOWN_PRINT
    tinted = paints[:, :3] - np.log(np.maximum(gain, 0.1) * WHITE + DARK)
    blue, green, red = tinted.T
    return np.column_stack([tinted.mean(axis=1), blue - green, red - green, paints[:, 3]]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Paints:
    """Distribution of paints, fitted on synthetic tables (`models.train.piece_classifier.weigh_paints`).

    ``mean`` (c, LOOKS) is each colour's mean paint, ``own`` (c, LOOKS, LOOKS) its covariance between tables,
    ``within`` the covariance of pieces of one paint, ``table`` that of the error of the light. ``networks``
    and ``paint`` are weights on the log-likelihoods of networks and paints, whose errors are correlated.
    """

    mean: F64
    own: F64
    within: F64
    table: F64
    networks: float
    paint: float

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Paints | None:
        """Read from a manifest entry's ``meta``; None if it has no paints. Raises ModelError if damaged."""
        told = meta.get("paints")
        if told is None:
            return None
        try:
            mean, own, within, table = (
                np.array(told[name], np.float64) for name in ("mean", "own", "within", "table")
            )
            return cls(mean, own, within, table, float(told["networks"]), float(told["paint"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"model looks: its paints are damaged ({error})") from None

    def __post_init__(self) -> None:
        # Axes of each colour in which ``within`` is the unit matrix and ``own`` is diagonal.
        root = np.linalg.inv(np.linalg.cholesky(self.within))
        spread, turn = np.linalg.eigh(root @ self.own @ root.T)
        object.__setattr__(self, "_spread", np.maximum(spread, 1e-6))
        object.__setattr__(self, "_axes", root.T @ turn)

    def shares(self, paints: F64, odds: F64, weight: F64) -> F64:
        """Posterior probabilities (n, c) of each piece's colour.

        ``paints`` (n, LOOKS) are from `under_light`, ``odds`` (n, c) are the networks' log-odds (-inf for an
        impossible colour), ``weight`` (n,) 0..1 is each piece's weight in the estimate of the paints. A piece
        is compared with the paint estimated without it.
        """
        prior = self.networks * odds
        shares = _normalised(prior)
        spread, axes = self._spread, self._axes  # type: ignore[attr-defined]
        seen = np.einsum("ni,cij->ncj", paints, axes)
        for number in range(ROUNDS):
            counted = shares * weight[:, None]
            usual = np.einsum("ci,cij->cj", self.mean + self._light(paints, counted), axes)
            others = counted.sum(axis=0) - counted
            summed = (counted[..., None] * seen).sum(axis=0) - counted[..., None] * seen
            precision = 1.0 / spread + others[..., None]
            middle = (usual / spread + summed) / precision
            variance = 1.0 + 1.0 / precision
            far = ((seen - middle) ** 2 / variance).sum(axis=2)
            told = -0.5 * np.log(variance).sum(axis=2) - 0.5 * (TAILS + LOOKS) * np.log1p(far / TAILS)
            fresh = _normalised(prior + self.paint * told)
            change = float(np.abs(fresh - shares).max())
            shares = fresh if number > 2 else 0.5 * (shares + fresh)  # damped against oscillation
            if change < SETTLED:
                break
        return shares

    def _light(self, paints: F64, counted: F64) -> F64:
        """Return the most probable error of the light (LOOKS,).
        ``paints`` (n, LOOKS) are the pieces' paints, ``counted`` (n, c) their weighted colour
        probabilities."""
        number = counted.sum(axis=0)
        there = np.flatnonzero(number > FEWEST)
        precision, pull = np.linalg.inv(self.table), np.zeros(LOOKS)
        for c in there:
            strength = np.linalg.inv(self.own[c] + self.within / number[c])
            precision = precision + strength
            pull = pull + strength @ (counted[:, c] @ paints / number[c] - self.mean[c])
        return np.asarray(np.linalg.solve(precision, pull), np.float64)


def _normalised(nats: F64) -> F64:
    """Normalise log-odds (n, c) to probabilities by row."""
    shares = np.exp(nats - nats.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
