"""Tuned parameters of reading a game that is under way when the camera first looks."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class OpeningParams:
    """Tuned parameters that decide when a table counts as a game under way, and how it is read."""

    least_tiles: int = param(
        2,
        unit="tiles beyond the known start",
        raising="a game under way needs more tiles to be recognised; fewer are taken for its first turns",
    )
    steady_looks: int = param(
        2, unit="pictures at rest", raising="a game under way is adopted later and read more reliably"
    )
    looks_at_most: int = param(
        6,
        unit="pictures at rest",
        raising="the board is read from more pictures: more reliable, but corrections on the table show "
        "later",
    )
    sure_face: float = param(
        0.9, unit="probability", raising="more tiles of the opening position are reported as doubtful"
    )


PARAMS = OpeningParams()
