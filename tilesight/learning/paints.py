"""Lesson about the paints of the pieces, as one camera shows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilesight.learning.faces import Lesson
from tilesight.learning.labels import HomeLabel
from tilesight.learning.scores import Parts, Score, scored
from vision.image.color_profile import PieceColors
from vision.pieces.detector import COLORS


def learn_paints(parts: Parts, known: PieceColors | None) -> tuple[Lesson, PieceColors]:
    """Learn what the network reads for each colour; return the result and the learned profile.

    ``known`` is the camera's profile so far, which the result is compared with. Colours that no label shows
    stay as they are in it.
    """
    shown: dict[str, list[dict[str, float]]] = {}
    for label in parts.fit:
        shown.setdefault(label.label.name, []).append(label.label.colors)
    learned = PieceColors.learned(shown)
    if known is not None:
        learned = PieceColors({**known.named, **learned.named}, {**known.shown, **learned.shown})
    before = _score(parts.held_out, known)
    return Lesson("paints of the pieces", before, _score(parts.held_out, learned)), learned


def _score(labels: Sequence[HomeLabel], profile: PieceColors | None) -> Score:
    rows: NDArray[np.float64] = np.zeros((len(labels), len(COLORS)))
    for row, label in zip(rows, labels, strict=True):
        shares = label.label.colors if profile is None else profile.shares(label.label.colors)
        row[:] = [shares.get(color, 0.0) for color in COLORS]
    return scored(labels, rows, [COLORS.index(label.label.name) for label in labels])
