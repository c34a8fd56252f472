"""Colour profile: calibration of the network's piece colours for one camera, light and set of pieces.

In calibration the pieces are shown colour by colour, which gives the network's mean output for each colour. A
red that the network half takes for violet can then be told from violet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from vision.image.params import PARAMS
from vision.observation import PieceReading


@dataclass(frozen=True, slots=True)
class PieceColors:
    """The network's mean output for pieces of known colour.
    ``named[colour][name]`` is the mean probability of ``name``, ``shown[colour]`` the number of pieces."""

    named: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    shown: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def learned(cls, readings: Mapping[str, Iterable[Mapping[str, float]]]) -> PieceColors:
        """Learn from ``readings``: the ``color_probs`` of the pieces shown, by true colour.
        Empty ones are skipped."""
        named: dict[str, dict[str, float]] = {}
        shown: dict[str, int] = {}
        for color, shares in readings.items():
            every = [share for share in shares if share]
            if every:
                names = sorted({name for share in every for name in share})
                named[color] = {n: float(np.mean([share.get(n, 0.0) for share in every])) for n in names}
                shown[color] = len(every)
        return cls(named, shown)

    def corrected(self, piece: PieceReading) -> PieceReading:
        """Return a reading with corrected colour probabilities, and the colour that is then likeliest.
        It is returned unchanged if it has no colour probabilities, or nothing was learned."""
        if not piece.color_probs or not self.named:
            return piece
        shares = self.shares(piece.color_probs)
        return replace(piece, color_probs=shares, color=max(shares, key=lambda name: shares[name]))

    def shares(self, read: Mapping[str, float]) -> dict[str, float]:
        """Return the probabilities of the colours, given the network's probabilities ``read``."""
        odds = {color: self._likeness(color, read) for color in {**read, **self.named}}
        total = sum(odds.values())
        return {color: value / total for color, value in odds.items()}

    def _likeness(self, color: str, shares: Mapping[str, float]) -> float:
        """Return the likelihood of the network's output ``shares`` for a piece of ``color``.
        It is a power of their Bhattacharyya coefficient with the learned output."""
        learned = self.named.get(color, {})
        shown = self.shown.get(color, 0)
        trust = shown / (shown + PARAMS.trusted_pieces)
        overlap = 0.0
        for name, share in shares.items():
            plain = 1.0 if name == color else 0.0
            overlap += math.sqrt(
                share * max(trust * learned.get(name, 0.0) + (1 - trust) * plain, PARAMS.name_floor)
            )
        return (1.0 if shown else PARAMS.not_shown) * math.pow(overlap, PARAMS.color_draws) + 1e-9
