"""Tuned numbers of `tilesight.inference.squares`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class SquaresInferenceParams:
    """Tuned numbers for turns on squares: steadiness, confidence, rest, and forgotten figures."""

    steady_pictures: int = param(
        2,
        unit="pictures; one of a table at rest counts as this many",
        raising="a figure must be read at its place more often before it counts: slower, and fewer slips",
    )
    hand_covered: float = param(
        0.02,
        unit="share of the board",
        raising="more of the board than the least seen may be unexplained before that is taken for a hand",
    )
    hand_at_most_s: float = param(
        8.0,
        unit="seconds",
        raising="what hides the board at rest (a lamp, something laid down) is waited out for longer",
    )
    rest_motion: float = param(
        0.004,
        unit="share of the board",
        raising="more may change between two pictures of a table that is taken to be at rest",
    )
    walker_sure: float = param(
        0.6, unit="probability", raising="fewer readings of figures count; those that do are right more often"
    )
    pawn_sure: float = param(
        0.3, unit="probability", raising="fewer readings of pawns count; those that do are right more often"
    )
    forgotten_after: int = param(
        6,
        unit="pictures beside a pawn that went on",
        raising="a figure that was not moved is reported as forgotten later",
    )
    turns_ahead: int = param(
        3, unit="turns", raising="more turns may be made unseen; the search for them takes longer"
    )
    hidden_figures: int = param(
        2,
        unit="figures",
        raising="more figures may be hidden when the table is taken to be as it should",
    )


PARAMS = SquaresInferenceParams()
