"""Scores of readings against labels, on a part of the labels that is held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesight.learning.labels import HomeLabel

SURE = 0.95
"""Confidence from which a wrong reading is counted as wrong and sure, as in `tilesight bench vision`."""
LEAST_THINGS = 6
"""Minimum number of tiles, or pieces, in each part."""
LEAST_GAIN = 0.01
"""Least mean gain in log loss, in nats, for which a change is worth its risk."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Labels to learn from, and labels held out; none of a tile or piece is in both."""

    fit: tuple[HomeLabel, ...]
    held_out: tuple[HomeLabel, ...]

    @property
    def enough(self) -> bool:
        """Whether both parts show enough things."""
        return all(things(part) >= LEAST_THINGS for part in (self.fit, self.held_out))


def things(labels: Sequence[HomeLabel]) -> int:
    """Return the number of different tiles or pieces that labels show."""
    return len({label.thing for label in labels})


def in_time(labels: Sequence[HomeLabel]) -> Parts:
    """Divide labels at the time by which half of the things had appeared.

    What is fitted saw only pictures before that time; what is held out are the things that appeared later. So
    the scores tell whether the learning of the first half would have helped in the second.
    """
    first: dict[tuple[int, str], tuple[int, int]] = {}
    for label in sorted(labels, key=lambda one: one.time):
        first.setdefault(label.thing, label.time)
    if not first:
        return Parts((), ())
    middle = sorted(first.values())[len(first) // 2]
    fit = tuple(label for label in labels if label.time < middle)
    return Parts(fit, tuple(label for label in labels if first[label.thing] >= middle))


@dataclass(frozen=True, slots=True)
class Score:
    """Agreement of readings with labels.

    ``loss`` is the mean of -log p(true name), first over the readings of each thing, then over the things
    (``losses``); ``sure_wrong`` counts the wrong names with at least `SURE`.
    """

    readings: int
    wrong: int
    sure_wrong: int
    losses: Mapping[tuple[int, str], float]

    @property
    def loss(self) -> float:
        """Mean log loss in nats."""
        return float(np.mean(list(self.losses.values()))) if self.losses else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the score as JSON values."""
        return {
            "readings": self.readings,
            "things": len(self.losses),
            "wrong": self.wrong,
            "wrong_and_sure": self.sure_wrong,
            "log_loss": round(self.loss, 4),
        }


def scored(labels: Sequence[HomeLabel], probs: NDArray[np.floating], truth: Sequence[int]) -> Score:
    """Score readings: ``probs`` [n, names], ``truth`` [n] the indices of the labels' names."""
    rows = np.asarray(probs, np.float64)
    true = np.maximum(rows[np.arange(len(rows)), list(truth)], 1e-9)
    wrong = rows.argmax(axis=1) != np.array(truth)
    by_thing: dict[tuple[int, str], list[float]] = {}
    for label, share in zip(labels, true, strict=True):
        by_thing.setdefault(label.thing, []).append(-float(np.log(share)))
    sure = wrong & (rows.max(axis=1) >= SURE)
    losses = {thing: float(np.mean(each)) for thing, each in by_thing.items()}
    return Score(len(rows), int(wrong.sum()), int(sure.sum()), losses)


def is_better(after: Score, before: Score) -> bool:
    """Whether a change improves the held-out readings.

    The mean gain in log loss must exceed its standard error over the things and `LEAST_GAIN`, and neither the
    wrong names nor the wrong and sure ones may become more.
    """
    gains = np.array([before.losses[thing] - after.losses[thing] for thing in before.losses])
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    no_worse = after.wrong <= before.wrong and after.sure_wrong <= before.sure_wrong
    return bool(no_worse and gains.mean() > max(error, LEAST_GAIN))
