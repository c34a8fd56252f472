"""Tuned parameters of `tilesight.inference.squares`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class SquaresInferenceParams:
    """Tuned parameters for turns on squares: steadiness, confidence, rest, and forgotten figures."""

    steady_pictures: int = param(
        2,
        unit="pictures; one of a table at rest counts as all of them",
        raising="a figure must be read at its place in more pictures before it counts: slower, fewer errors",
    )
    hand_covered: float = param(
        0.02,
        unit="share of the board",
        raising="more of the board, beyond the least seen so far, can be unexplained before a hand is "
        "assumed",
    )
    hand_at_most_s: float = param(
        8.0,
        unit="seconds",
        raising="a cover that does not move (a lamp, an object on the board) is waited for longer",
    )
    rest_motion: float = param(
        0.004,
        unit="share of the board",
        raising="larger changes between two pictures still count as rest",
    )
    walker_sure: float = param(
        0.6, unit="probability", raising="fewer readings of figures count, and more of them are right"
    )
    pawn_sure: float = param(
        0.3, unit="probability", raising="fewer readings of pawns count, and more of them are right"
    )
    forgotten_after: int = param(
        6,
        unit="pictures that show its pawn moved on",
        raising="a figure that was not moved is reported later",
    )
    turns_ahead: int = param(
        3, unit="turns", raising="more consecutive turns can be inferred at once: slower"
    )
    hidden_figures: int = param(
        2,
        unit="figures",
        raising="more figures can be hidden on a board that still counts as matching",
    )


PARAMS = SquaresInferenceParams()
