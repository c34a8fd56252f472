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
        raising="more ambiguous feature matches are kept",
        fitted="5 synthetic scenes: 0.72 and 0.93 find one board less each",
    )
    least_inliers: int = param(
        10,
        unit="features",
        raising="fewer parts are found by features",
        fitted="5 synthetic scenes: 20 finds one board less, 5 changes nothing",
    )
    predicted_spread: float = param(
        4.0,
        unit="multiple of an outline's spread",
        raising="a part's place predicted from its neighbour is trusted less",
    )
    nats_per_fit: float = param(
        30.0,
        unit="nats per unit of correlation",
        raising="arrangements, animals and facings get more extreme probabilities",
    )
    unexplained_level: float = param(
        0.16,
        unit="half of full scale",
        raising="fewer pixels that differ from the print count as covered",
    )
    asked_share: float = param(
        0.12,
        unit="share of a square",
        raising="fewer squares are examined for animals; a square with one shows 0.5 and more",
    )
    least_fit: float = param(
        0.58,
        unit="correlation",
        raising="fewer detections count as animals",
        fitted="validation tables: animals reach 0.64 and more, nothing else 0.54",
    )
    off_color_cost: float = param(
        0.5,
        unit="loss of correlation per half of full scale",
        raising="a wrong mean colour lowers the fit by more",
    )
    free_color: float = param(
        0.15,
        unit="half of full scale",
        raising="a larger colour shift by the light is tolerated",
    )
    least_pawn: float = param(
        0.25,
        unit="probability",
        raising="fewer detections count as pawns; the surest of each colour is kept",
    )
    worse_share: float = param(
        0.8,
        unit="share of the previous correlation",
        raising="a tracked board is searched from scratch sooner",
    )


PARAMS = SquaresParams()
