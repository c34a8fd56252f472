"""Tuned parameters of `vision.squares`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class SquaresParams:
    """Parameters of finding a board of known parts and of reading its squares."""

    feature_ratio: float = param(
        0.86,
        unit="ratio of distances",
        raising="keeps more matches that another place of the face fits nearly as well",
        fitted="5 own scenes: 0.72 and 0.93 find one board less each",
    )
    least_inliers: int = param(
        10,
        unit="features",
        raising="finds fewer parts by their features",
        fitted="5 own scenes: 20 finds one board less, 5 changes nothing",
    )
    predicted_spread: float = param(
        4.0,
        unit="1",
        raising="believes less in a part's place that was carried over from its neighbour; 1 is an outline",
    )
    nats_per_fit: float = param(
        30.0,
        unit="nats a unit of correlation",
        raising="tells arrangements, animals and facings apart more surely",
    )
    unexplained_level: float = param(
        0.16,
        unit="half of full scale",
        raising="takes fewer pixels that differ from the print for something that lies on it",
    )
    asked_share: float = param(
        0.12,
        unit="share of a square",
        raising="asks fewer squares for animals; one that carries one shows 0.5 and more",
    )
    least_fit: float = param(
        0.58,
        unit="correlation",
        raising="takes fewer things for animals",
        fitted="validation tables: animals reach 0.64 and more, nothing else 0.54",
    )
    off_color_cost: float = param(
        0.5,
        unit="correlation, half of full scale",
        raising="takes more from the fit for a wrong mean colour",
    )
    free_color: float = param(
        0.15,
        unit="half of full scale",
        raising="lets the light change colours further before that costs",
    )
    least_pawn: float = param(
        0.25,
        unit="probability",
        raising="takes fewer things for pawns; of each colour the surest is taken",
    )
    worse_share: float = param(
        0.8,
        unit="share of the correlation before",
        raising="searches a followed board afresh sooner",
    )


PARAMS = SquaresParams()
