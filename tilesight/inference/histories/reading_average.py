"""Reading average: the running mean of readings of one piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from engine.tiles.pieces import Sort
from vision.observation import PieceReading

ShareT = TypeVar("ShareT", bound=Sort | str)


def averaged(mean: PieceReading, reading: PieceReading, share: float) -> PieceReading:
    """Return the reading of a piece, with confidence and probabilities moved from ``mean`` to ``reading``.

    ``share`` (0..1) is how far. The place is the new reading's; the other fields are those of the more
    confident.
    """
    sorts = _mixed(mean.sort_probs, reading.sort_probs, share)
    colors = _mixed(mean.color_probs, reading.color_probs, share)
    animals = _mixed(mean.animal_probs, reading.animal_probs, share)
    best = reading if reading.confidence > mean.confidence else mean
    return replace(
        best,
        confidence=mean.confidence + share * (reading.confidence - mean.confidence),
        lattice_xy=reading.lattice_xy,
        color=max(colors, key=lambda name: colors[name]) if colors else best.color,
        color_probs=colors,
        sort_probs=sorts,
        animal=max(animals, key=lambda name: animals[name]) if animals else best.animal,
        animal_probs=animals,
    )


def _mixed(mean: Mapping[ShareT, float], new: Mapping[ShareT, float], share: float) -> dict[ShareT, float]:
    """Return probabilities moved from ``mean`` by ``share`` (0..1) to ``new``; if one is empty, the other."""
    if not mean or not new:
        return dict(mean or new)
    names = dict.fromkeys((*mean, *new))
    return {name: mean.get(name, 0.0) * (1.0 - share) + new.get(name, 0.0) * share for name in names}
