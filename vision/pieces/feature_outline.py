"""Feature outlines: approximate course of features for which the pack gives only a spot.

The outline follows from the tile's sides: a feature between two others on a side crosses that side at its
middle and runs from side to side; a feature with a side, or a part of one, to itself extends inwards from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import cv2
import numpy as np

from engine.geometry import EDGES, Point, turned_point
from engine.tile import Feature, Tile

CURVE = (0.25, 0.5, 0.75)
"""Parameters, 0..1, of the inner points of a curve."""
DEEPEST = 0.45
"""Maximum depth of a feature of one side, in tile sides."""
NARROWER = 0.2
"""Inset of such a feature's ends at half its depth, in tile sides."""
CENTRE = (0.5, 0.5)

Outline = tuple[str, tuple[Point, ...]]
"""``"path"`` and its points, or ``"region"`` and its corners, in the tile's own frame."""


@lru_cache(maxsize=512)
def outlines_of(tile: Tile) -> Mapping[str, Outline]:
    """Return outlines, by id, of a tile's features without path and region; cached.
    Features that reach no side have none."""
    found = {}
    for feature in tile.features:
        if feature.path is None and feature.region is None:
            outline = _outline(tile, feature)
            if outline is not None:
                found[feature.id] = outline
    return found


def _outline(tile: Tile, feature: Feature) -> Outline | None:
    """The outline of one feature; None if it reaches no side."""
    stretches = list(_stretches(tile, feature.id))
    if not stretches:
        return None
    middles = [_on_side(side, 0.5) for side, _, _ in stretches]
    if all(first == last for _, first, last in stretches):
        if len(middles) == 2:
            return "path", _curve(middles[0], middles[1])
        return "path", tuple(point for middle in middles for point in (middle, CENTRE))
    if len(stretches) == 1 and stretches[0][1:] == (0.0, 1.0):
        return "region", _along_one_side(stretches[0][0], feature.spot)
    ends = [_on_side(side, at) for side, *span in stretches for at in span]
    hull = cv2.convexHull(np.array([*ends, feature.spot], np.float32)).reshape(-1, 2)
    return "region", tuple((float(x), float(y)) for x, y in hull)


def _stretches(tile: Tile, feature_id: str) -> Iterator[tuple[int, float, float]]:
    """Yield the sides that a feature reaches as (side index clockwise, start, end).
    Start and end are 0..1 clockwise along the side, and equal if the feature crosses it between two
    others."""
    for side, edge in enumerate(EDGES):
        there = tile.sides[edge]
        for place, name in enumerate(there):
            if name == feature_id:
                crosses = 0 < place < len(there) - 1
                first, last = (0.5, 0.5) if crosses else (place / len(there), (place + 1) / len(there))
                half = len(there) > 1 and not crosses
                yield side, round(2 * first) / 2 if half else first, round(2 * last) / 2 if half else last


def _on_side(side: int, at: float) -> Point:
    """Return the point on a side, given by its index clockwise from the north.
    ``at`` is 0..1 clockwise along the side."""
    return turned_point((at, 0.0), 90 * side)


def _curve(start: Point, end: Point) -> tuple[Point, ...]:
    """Return points of a quadratic curve from ``start`` to ``end``, bent towards the tile's centre."""
    bent = [
        tuple(
            (1 - t) ** 2 * a + 2 * t * (1 - t) * m + t**2 * b
            for a, m, b in zip(start, CENTRE, end, strict=True)
        )
        for t in CURVE
    ]
    return (start, *((x, y) for x, y in bent), end)


def _along_one_side(side: int, spot: Point) -> tuple[Point, ...]:
    """Return the corners of the region of a feature with one whole side; ``spot`` is at half its depth."""
    depth = min(2.0 * turned_point(spot, -90 * side % 360)[1], DEEPEST)
    corners = (0.0, 0.0), (1.0, 0.0), (1.0 - NARROWER, 0.6 * depth), (0.5, depth), (NARROWER, 0.6 * depth)
    return tuple(turned_point(corner, 90 * side) for corner in corners)
