"""Borders of forests and lakes: closed lines from the edges that a forest fills, with seeded shores."""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random

from samples.artwork.geometry import EDGES, Line, Point, smooth

#: Span of an edge that a forest fills, measured along the edge; symmetric, so that neighbours join.
FROM, TO = 0.06, 0.94
#: Width of a forest's arm where it ends in a corner of the tile, along either edge, in tile sides.
TIP = 0.055


@dataclass(frozen=True)
class Shape:
    """Shape of a forest in its tile.

    `arms` are the corners (0 north-west, clockwise) that it reaches with an arm, `gentle` those where it
    makes room for another forest; `deep` is how far it reaches into the tile and `shift` how far its middle
    is moved sideways, in tile sides; `peaked` narrows it towards its middle.
    """

    edges: str
    arms: frozenset[int] = frozenset()
    gentle: frozenset[int] = frozenset()
    deep: float = 0.32
    shift: float = 0.0
    peaked: bool = False


def turned(point: Point, quarters: int) -> Point:
    """A point turned clockwise by quarter turns about the tile's middle."""
    u, v = point
    for _ in range(quarters % 4):
        u, v = 1 - v, u
    return (u, v)


def forest(shape: Shape, random: Random) -> Line:
    """The closed border of a forest: along its edges clockwise, then back along its shores."""
    run, quarters = _canonical(shape.edges)
    own = Shape(
        run,
        frozenset((corner - quarters) % 4 for corner in shape.arms),
        frozenset((corner - quarters) % 4 for corner in shape.gentle),
        shape.deep,
        shape.shift,
        shape.peaked,
    )
    line = _swayed(DRAWN[run](own, random), random)
    return tuple(turned((min(1.0, max(0.0, u)), min(1.0, max(0.0, v))), quarters) for u, v in line)


def _swayed(line: list[Point], random: Random) -> list[Point]:
    """A border with small bays; what is near the tile's own border stays where it is."""
    waves = [
        (random.uniform(1.5, 4.5), random.uniform(1.5, 4.5), random.uniform(0, 2 * pi), random.choice((0, 1)))
        for _ in range(5)
    ]
    moved = []
    for u, v in line:
        calm = min(1.0, max(0.0, (min(u, v, 1 - u, 1 - v) - 0.04) / 0.1))
        away = [0.0, 0.0]
        for across, down, phase, axis in waves:
            away[axis] += 0.009 * calm * sin(2 * pi * (across * u + down * v) + phase)
        moved.append((u + away[0], v + away[1]))
    return moved


def _canonical(edges: str) -> tuple[str, int]:
    """The same run of edges turned so that it is ``n``, ``ne``, ``we`` or ``wne``, and the quarters back."""
    have = {EDGES.index(edge) for edge in edges}
    for run in DRAWN:
        for quarters in range(4):
            if {(EDGES.index(edge) + quarters) % 4 for edge in run} == have:
                return run, quarters
    raise ValueError(f"a forest cannot lie on the edges {edges!r}")


def _near(random: Random, u: float, v: float, much: float = 0.02) -> Point:
    return (u + random.uniform(-much, much), v + random.uniform(-much, much))


def _one(shape: Shape, random: Random) -> list[Point]:
    """North edge; arms may go to the two southern corners."""
    deep, shift = shape.deep, shape.shift
    rise = (0.3, 0.6) if shape.peaked else (0.5, 0.86)

    def flank(gentle: bool) -> list[Point]:  # from the corner inwards, drawn for the west
        if gentle:
            return [(0.11, 0.03), _near(random, 0.2, 0.4 * deep, 0.012), _near(random, 0.33, 0.78 * deep)]
        return [
            (0.085, 0.075),
            _near(random, 0.17, rise[0] * deep + 0.03),
            _near(random, 0.32, rise[1] * deep),
        ]

    west, east = flank(0 in shape.gentle), [(1 - u, v) for u, v in flank(1 in shape.gentle)]
    if not shape.arms:
        moved = [(u + shift * 0.6, v) for u, v in (east[2], west[2])]
        shore = [*east[:2], moved[0], _near(random, 0.5 + shift, deep), moved[1], *reversed(west[:2])]
        return [(FROM, 0.0), *smooth([(TO, 0.0), *shore, (FROM, 0.0)])]
    bow = random.uniform(-0.03, 0.05)
    outer = [
        (0.9, 0.14),
        _near(random, 0.77, 0.36),
        _near(random, 0.74 - bow, 0.6),
        (0.87, 0.84),
        (1.0, 1 - TIP),
    ]
    inner = [(1 - TIP, 1.0), (0.78, 0.86), _near(random, 0.6 - bow, 0.68), _near(random, 0.5, deep + 0.2)]
    right_out = outer if 2 in shape.arms else east
    line = [(FROM, 0.0), *smooth([(TO, 0.0), *right_out])]
    if 2 in shape.arms:
        line += [(1.0, 1.0)]
    middle = [*inner] if 2 in shape.arms else [_near(random, 0.5, deep)]
    if 3 in shape.arms:
        middle += [(1 - u, v) for u, v in reversed(inner[:-1])]
        outer_west = [(1 - u, v) for u, v in reversed(outer)]
        return [*line, *smooth(middle), (0.0, 1.0), *smooth([*outer_west, (FROM, 0.0)])]
    return [*line, *smooth([*middle, *reversed(west), (FROM, 0.0)])]


def _two(shape: Shape, random: Random) -> list[Point]:
    """North and east edges; an arm may go to the south-western corner."""
    q = shape.deep
    toe = _near(random, 1 - q + shape.shift, q + shape.shift, 0.015)
    border = [(FROM, 0.0), (TO, 0.0), (1.0, FROM), (1.0, TO)]
    k = 0.13 if 2 in shape.gentle else 0.07
    east = [(0.945, 0.94 - k), _near(random, 0.8, 0.6 * q + 0.46 - k, 0.025)]
    k = 0.13 if 0 in shape.gentle else 0.07
    north = [_near(random, 0.54 - 0.6 * q + k, 0.2, 0.025), (0.06 + k, 0.055)]
    if 3 not in shape.arms:
        return [*border, *smooth([(1.0, TO), *east, toe, *north, (FROM, 0.0)])]
    bow = shape.shift
    lower = [_near(random, 0.6, 0.62), _near(random, 0.4 + bow, 0.74 + bow), (0.17, 0.9), (TIP, 1.0)]
    upper = [(0.0, 1 - TIP), (0.1, 0.83), _near(random, 0.24 + bow, 0.6 + bow), _near(random, 0.36, 0.4)]
    return [*border, *smooth([(1.0, TO), *east, *lower]), (0.0, 1.0), *smooth([*upper, *north, (FROM, 0.0)])]


def _strip(shape: Shape, random: Random) -> list[Point]:
    """West and east edges and what lies between; `shift` moves the waist down."""
    half = shape.deep / 2

    def shore() -> list[Point]:  # the northern one from west to east, as a distance from the middle
        waist = random.uniform(0.94, 1.06) * half
        return [
            (0.05, 0.385),
            _near(random, 0.16, 0.5 * half + 0.17),
            _near(random, 0.32, waist + 0.015),
            _near(random, 0.5, waist - 0.01),
            _near(random, 0.68, waist + 0.015),
            _near(random, 0.84, 0.5 * half + 0.17),
            (0.95, 0.385),
        ]

    def moved(u: float, v: float) -> Point:
        return (u, v + shape.shift * sin(pi * u) ** 2)

    north = [moved(u, 0.5 - away) for u, away in shore()]
    south = [moved(u, 0.5 + away) for u, away in reversed(shore())]
    return [
        (0.0, TO),
        *smooth([(0.0, FROM), *north, (1.0, FROM)]),
        *smooth([(1.0, TO), *south, (0.0, TO)]),
    ]


def _three(shape: Shape, random: Random) -> list[Point]:
    """West, north and east edges round a bay that opens to the south."""
    deep, shift = shape.deep, shape.shift
    shore = [
        (0.925, 0.87),
        _near(random, 0.83, 0.62 + 0.3 * (deep - 0.45)),
        _near(random, 0.7 + shift, deep + 0.06),
        _near(random, 0.5 + shift, deep),
        _near(random, 0.3 + shift, deep + 0.06),
        _near(random, 0.17, 0.62 + 0.3 * (deep - 0.45)),
        (0.075, 0.87),
    ]
    border = [(0.0, FROM), (FROM, 0.0), (TO, 0.0), (1.0, FROM), (1.0, TO)]
    return [*border, *smooth([(1.0, TO), *shore, (0.0, TO)])]


DRAWN: dict[str, Callable[[Shape, Random], list[Point]]] = {
    "n": _one,
    "ne": _two,
    "we": _strip,
    "wne": _three,
}


def lake(centre: Point, radius: float, random: Random) -> Line:
    """The closed border of a lake about a centre, long one way, with bays."""
    waves = [(2, random.uniform(0.06, 0.2), random.uniform(0, 2 * pi))]
    waves += [(k, random.uniform(0.0, 0.24 / k), random.uniform(0, 2 * pi)) for k in (3, 4, 5)]
    line = []
    for index in range(48):
        angle = 2 * pi * index / 48
        reach = radius * (1 + sum(much * cos(k * angle + phase) for k, much, phase in waves))
        line.append((centre[0] + reach * cos(angle), centre[1] + reach * sin(angle)))
    return tuple(line)
