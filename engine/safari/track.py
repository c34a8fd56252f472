"""Scoring track: fifty spaces, and a marker for each time an elephant passes the 0 space."""

from __future__ import annotations

from dataclasses import dataclass

SPACES = 50


@dataclass(frozen=True, slots=True)
class TrackPlace:
    """Place of a player's elephant, and the faces of the scoring markers in front of the player.
    Space and markers together are the points."""

    space: int
    markers: tuple[int, ...] = ()


def on_track(points: int) -> TrackPlace:
    """The place of that many points (zman-2018, 'Placing additional animals'): first a marker with 50, then
    turned over to 100, then a second one."""
    passed, space = divmod(points, SPACES)
    return TrackPlace(space, (2 * SPACES,) * (passed // 2) + (SPACES,) * (passed % 2))
