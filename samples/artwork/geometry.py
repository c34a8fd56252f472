"""Plane geometry of one tile: points in 0..1 from the tile's own north-west corner, u east, v south.

Everything drawn and everything written to ``pack.json`` is computed from these few functions, so that the
picture, the piece-to-feature decision and the board drawing agree.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
Line: TypeAlias = tuple[Point, ...]

EDGES = ("n", "e", "s", "w")
#: Point where a trail crosses an edge: the edge's centre, so that neighbours join in any rotation.
EDGE_CENTRE: dict[str, Point] = {"n": (0.5, 0.0), "e": (1.0, 0.5), "s": (0.5, 1.0), "w": (0.0, 0.5)}
#: Span of an edge that a bush fills, measured along the edge; symmetric, so that neighbours join.
BUSH_FROM, BUSH_TO = 0.08, 0.92
#: Half the width of a trail where it crosses an edge.
TRAIL_HALF = 0.068


def edge_point(edge: str, along: float, depth: float = 0.0) -> Point:
    """The point `along` an edge, walking clockwise round the tile, and `depth` into the tile."""
    if edge == "n":
        return (along, depth)
    if edge == "e":
        return (1.0 - depth, along)
    if edge == "s":
        return (1.0 - along, 1.0 - depth)
    if edge == "w":
        return (depth, 1.0 - along)
    raise ValueError(f"no edge {edge!r}: one of {', '.join(EDGES)}")


def smooth(points: Sequence[Point], steps: int = 6) -> Line:
    """A Catmull-Rom curve through all points, `steps` pieces between two of them, kept inside the tile."""
    if len(points) < 3:
        return tuple(points)
    padded = [_mirrored(points[1], points[0]), *points, _mirrored(points[-2], points[-1])]
    curve: list[Point] = []
    for index in range(1, len(padded) - 2):
        before, start, end, after = padded[index - 1 : index + 3]
        curve += [_catmull_rom(before, start, end, after, step / steps) for step in range(steps)]
    curve.append(points[-1])
    return tuple((min(1.0, max(0.0, u)), min(1.0, max(0.0, v))) for u, v in curve)


def _mirrored(point: Point, centre: Point) -> Point:
    return (2 * centre[0] - point[0], 2 * centre[1] - point[1])


def _catmull_rom(before: Point, start: Point, end: Point, after: Point, t: float) -> Point:
    def axis(a: float, b: float, c: float, d: float) -> float:
        return 0.5 * (
            2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
        )

    return (axis(before[0], start[0], end[0], after[0]), axis(before[1], start[1], end[1], after[1]))


def distance(a: Point, b: Point) -> float:
    """Distance of two points in tile sides."""
    return hypot(a[0] - b[0], a[1] - b[1])


def distance_to_line(point: Point, line: Sequence[Point]) -> float:
    """Distance of a point from a polyline in tile sides."""
    return min(_distance_to_segment(point, a, b) for a, b in pairwise(line))


def _distance_to_segment(point: Point, a: Point, b: Point) -> float:
    along = (b[0] - a[0], b[1] - a[1])
    squared = along[0] ** 2 + along[1] ** 2
    if squared == 0:
        return distance(point, a)
    t = ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / squared
    t = min(1.0, max(0.0, t))
    return distance(point, (a[0] + t * along[0], a[1] + t * along[1]))


def inside(point: Point, region: Sequence[Point]) -> bool:
    """Whether a point lies in a polygon (even-odd)."""
    u, v = point
    odd = False
    for (au, av), (bu, bv) in zip(region, [*region[1:], region[0]], strict=True):
        if (av > v) != (bv > v) and u < (bu - au) * (v - av) / (bv - av) + au:
            odd = not odd
    return odd


def margin(point: Point, region: Sequence[Point]) -> float:
    """Signed distance in tile sides of a point from a polygon's border, negative outside."""
    away = distance_to_line(point, [*region, region[0]])
    return away if inside(point, region) else -away


def walk(line: Sequence[Point], spacing: float) -> list[tuple[Point, Point]]:
    """Points `spacing` apart along a polyline, each with the unit direction there."""
    steps: list[tuple[Point, Point]] = []
    left = spacing / 2
    for a, b in pairwise(line):
        length = distance(a, b)
        if length == 0:
            continue
        direction = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
        while left <= length:
            steps.append(((a[0] + direction[0] * left, a[1] + direction[1] * left), direction))
            left += spacing
        left -= length
    return steps


def written_point(point: Point) -> list[float]:
    """A point as packs write it."""
    return [round(point[0], 4), round(point[1], 4)]


def written_line(line: Line) -> list[list[float]]:
    """A line or outline as packs write it."""
    return [written_point(point) for point in line]
