"""Paints: the colours of all pieces in one picture, judged together.

The pieces of one player have one paint under one light, and two players' paints differ. A mixture of
Gaussians says so: on every table each colour has a paint of its own, drawn around what that colour usually
looks like; all paints of a table share an error of the measured light; each piece shows its paint with a
little scatter. What the networks say of single pieces is the prior of each piece's colour, and mean-field
inference (Bishop, 'Pattern Recognition and Machine Learning', 2006, section 10.2) alternates between the
colours and the paints. A dark blue is told from a black where both are on the table, though each by itself
looks black.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models import ModelError
from vision.pieces.tone import LEAST_PX, own_pixels
from vision.tiles.reprojection import Light

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

LOOKS = 4
"""Number of quantities that describe a paint as it is photographed."""
DARK = 8.0
"""Grey levels that are added before a logarithm: below, there is noise."""
WHITE = 255.0
"""Grey level of white print in the gallery's pictures."""
UNKNOWN_PRINT = 120.0
"""Mean grey level of print, by which the light is guessed where no face is known."""
ROUNDS = 12
"""Rounds of inference, at most."""
SETTLED = 1e-3
"""Change of a probability under which inference stops."""
TAILS = 1.0
"""Degrees of freedom of a piece's scatter: gloss and shadows make some pieces very unlike the others."""
FEWEST = 0.3
"""Pieces that a colour needs before it says anything of the light."""


def photographed_paints(pictures: F32, feet_px: F64) -> F32:
    """Paints (n, LOOKS) as they are photographed: the logarithms of the median blue, green and red of a
    piece's own pixels, and of how much lighter its lit side is than its middle. NaN where few pixels are its
    own. Arguments as for `vision.pieces.tone.tones`."""
    out = np.full((len(pictures), LOOKS), np.nan, np.float32)
    for k, (look, own) in enumerate(zip(pictures, own_pixels(pictures, feet_px), strict=True)):
        if own.sum() >= LEAST_PX:
            middle, lit = np.percentile((look[:3, own] + 1.0) * 127.5, (50, 85), axis=1)
            gloss = np.log(lit.mean() + DARK) - np.log(middle.mean() + DARK)
            out[k] = np.append(np.log(middle + DARK), gloss)
    return out


def under_light(paints: F32, light: Light | None, mean_bgr: F32) -> F64:
    """Photographed paints (n, LOOKS) as level, two differences of colour, and gloss, without the colour of
    the light; ``mean_bgr`` of the board stands in where no print tells the light."""
    gain = light[0] if light is not None else mean_bgr / UNKNOWN_PRINT
    tinted = paints[:, :3] - np.log(np.maximum(gain, 0.1) * WHITE + DARK)
    blue, green, red = tinted.T
    return np.column_stack([tinted.mean(axis=1), blue - green, red - green, paints[:, 3]]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Paints:
    """Distribution of paints, fitted on own tables (`models.train.piece_classifier.weigh_paints`).

    ``mean`` (c, LOOKS) is each colour's usual paint, ``own`` (c, LOOKS, LOOKS) the covariance from table to
    table, ``within`` that of the pieces of one paint, ``table`` that of the error of the light. ``networks``
    and ``paint`` are the factors of what the networks and the paints say, in nats: both err alike.
    """

    mean: F64
    own: F64
    within: F64
    table: F64
    networks: float
    paint: float

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Paints | None:
        """Those of a manifest entry, None where it has none. Raises ModelError where they are damaged."""
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
        # In these axes of each colour, scatter is the unit matrix and the spread between tables diagonal.
        root = np.linalg.inv(np.linalg.cholesky(self.within))
        spread, turn = np.linalg.eigh(root @ self.own @ root.T)
        object.__setattr__(self, "_spread", np.maximum(spread, 1e-6))
        object.__setattr__(self, "_axes", root.T @ turn)

    def shares(self, paints: F64, odds: F64, weight: F64) -> F64:
        """Probabilities (n, c) of each piece's colour.

        ``paints`` (n, LOOKS) are `under_light`, ``odds`` (n, c) in nats those of the networks (-inf for a
        colour that cannot be), ``weight`` (n,) 0..1 how much each piece says of the paints on the table. The
        piece itself is left out of the paint that it is held against.
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
            shares = fresh if number > 2 else 0.5 * (shares + fresh)  # jumps at once may swing
            if change < SETTLED:
                break
        return shares

    def _light(self, paints: F64, counted: F64) -> F64:
        """The likeliest error of the light (LOOKS,), given the colours (n, c) as they are counted."""
        number = counted.sum(axis=0)
        there = np.flatnonzero(number > FEWEST)
        precision, pull = np.linalg.inv(self.table), np.zeros(LOOKS)
        for c in there:
            strength = np.linalg.inv(self.own[c] + self.within / number[c])
            precision = precision + strength
            pull = pull + strength @ (counted[:, c] @ paints / number[c] - self.mean[c])
        return np.asarray(np.linalg.solve(precision, pull), np.float64)


def _normalised(nats: F64) -> F64:
    shares = np.exp(nats - nats.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
