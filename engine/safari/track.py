"""Scoring track: fifty spaces, and a marker for each time an elephant passes the 0 space."""

from __future__ import annotations

from dataclasses import dataclass

SPACES = 50


@dataclass(frozen=True, slots=True)
class TrackPlace:
    """Score on the scoring track: the elephant's space, and the values of the markers in front of the player.
    Their sum is the points."""

    space: int
    markers: tuple[int, ...] = ()


def on_track(points: int) -> TrackPlace:
    """The track place of ``points`` (zman-2018, 'Placing additional animals'): a marker of 50, then of 100,
    then a second marker."""
    passed, space = divmod(points, SPACES)
    return TrackPlace(space, (2 * SPACES,) * (passed // 2) + (SPACES,) * (passed % 2))
