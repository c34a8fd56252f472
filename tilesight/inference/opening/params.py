"""Tuned numbers of reading a game that is under way when the camera first looks."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class OpeningParams:
    """Tuned numbers that decide when a table counts as a game under way, and how it is read."""

    least_tiles: int = param(
        2,
        unit="tiles beyond the known position",
        raising="a game under way is recognised with more tiles only; fewer are taken for its first turns",
    )
    steady_looks: int = param(
        2, unit="pictures at rest", raising="a game under way is taken up later, and read more surely"
    )
    looks_at_most: int = param(
        6,
        unit="pictures at rest",
        raising="the table is read from more pictures: surer, and slower to see what was put right",
    )
    followed_turns: int = param(
        3,
        unit="turns told",
        raising="a table that is read late is taken for a game under way after more turns were followed",
    )
    sure_face: float = param(
        0.9, unit="probability", raising="more tiles of the opening position are told as doubtful"
    )


PARAMS = OpeningParams()
