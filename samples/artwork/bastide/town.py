"""Cities: roofs from above in lanes and squares, walls with towers and gates, pennants."""

from collections.abc import Iterator
from itertools import pairwise
from math import cos, hypot, pi, sin
from random import Random

import numpy as np

from samples.artwork.bastide.land import SHADE, tree
from samples.artwork.bastide.plans import City, Plan, sides
from samples.artwork.geometry import (
    Line,
    Point,
    distance,
    distance_to_line,
    edge_point,
    inside,
    walk,
)
from samples.artwork.raster import SIZE, Plane, blurred, inside_field, mixed, noise, over, rgb, svg
from samples.artwork.svg_marks import dot, mark, moved, polar, stroke

#: Sides of a roof: in the light, in the shade, ridge.
TERRACOTTA = ("#e08a52", "#b85a30", "#f6c594")
ROOFS = (
    (TERRACOTTA, ("#d2643c", "#a03f24", "#f0a680"), ("#e9a860", "#c07c38", "#fbdca6")),
    (TERRACOTTA, ("#c9543a", "#92301f", "#ee9c84"), ("#d98f6a", "#a8603f", "#f4cdb0")),
    (TERRACOTTA, ("#7d90ac", "#54657f", "#c3d0e2"), ("#dd7a44", "#ad4f28", "#f4bd92")),
    (TERRACOTTA, ("#e6bd62", "#b98d33", "#fae7ae"), ("#c86a3e", "#97452a", "#efb18c")),
)
INK, STONE, LIT = "#43332a", "#b9ab96", "#efe6d4"
PAVING = rgb("#dcc59c")
#: Houses on a city's edge, along it: middle and half length; ridges lie on the edge, so that halves join.
EDGE_HOUSES = ((0.16, 0.07), (0.33, 0.075), (0.5, 0.07), (0.67, 0.075), (0.84, 0.07))
#: Half the size of a pennant in tile sides, and the clear ground about it.
PENNANT, CLEAR = 0.098, 0.125


def paint_towns(picture: Plane, plan: Plan) -> Plane:
    """Lays the cities of a tile over the picture."""
    for name, city in plan.cities.items():
        random = Random(f"town {name} {plan.id}")
        mask = inside_field(city.region)
        shadow = np.pad(mask, ((12, 0), (9, 0)), mode="edge")[:SIZE, :SIZE]
        picture = mixed(picture, rgb("#20301a"), 0.55 * blurred(shadow, 0.01))
        grain = np.random.default_rng(list(f"paving {plan.id}".encode()))
        paving = (
            np.broadcast_to(PAVING, (SIZE, SIZE, 3))
            * (1 + 0.1 * noise(grain, 120) + 0.05 * noise(grain, 30))[..., None]
        )
        picture = mixed(picture, paving.astype(np.float32), mask)
        edges = "".join(edge for edge, names in sides(plan.entry).items() if name in names)
        houses = "".join(_houses(city, edges, plan.pennant, random))
        layer = svg(houses)
        layer[..., 3] *= mask
        picture = over(picture, layer)
        picture = over(picture, svg("".join(_wall(wall) for wall in city.walls)))
    for line in plan.roads.values():
        for city in plan.cities.values():
            ends = [wall for wall in city.walls if distance_to_line(line[-1], wall) < 0.06]
            picture = over(picture, svg("".join(_gate(wall, line[-1]) for wall in ends)))
    if plan.pennant is not None:
        picture = over(picture, svg(pennant(plan.pennant)))
    return picture


def _houses(city: City, edges: str, clear: Point | None, random: Random) -> Iterator[str]:
    """The houses of a city, northern ones first."""
    family = random.choice(ROOFS)
    grid = random.uniform(0, 90)
    standing: list[tuple[Point, float]] = []
    drawn: list[tuple[float, str]] = []
    for edge in edges:
        turn = 0.0 if edge in "ns" else 90.0
        for along, half in EDGE_HOUSES:
            at = edge_point(edge, along)
            standing.append((at, half))
            drawn.append((at[1], roof(at, half * 0.92, 0.058, turn, TERRACOTTA)))
    fixed = [(clear, CLEAR)] if clear is not None else []
    plain = len(edges) > 1
    if plain:  # a square with a church, a market hall or a well
        at, reach = _open_place(city, random, [*standing, *fixed], 0.11)
        if reach > 0:
            fixed.append((at, 0.115))
            drawn.append((at[1], random.choice((church, hall, fountain))(at, grid)))
    for tries, low, high in ((500, 0.052, 0.066), (900, 0.04, 0.05), (900, 0.03, 0.038)):
        for _ in range(tries):
            at, half = (random.random(), random.random()), random.uniform(low, high)
            if not inside(at, city.region):
                continue
            if any(distance_to_line(at, wall) < half + 0.03 for wall in city.walls):
                continue
            if any(distance(at, place) < reach + half * 0.85 for place, reach in fixed):
                continue
            if any(distance(at, other) < (half + far) * 0.98 for other, far in standing):
                continue
            standing.append((at, half))
            turn = grid + random.choice((0, 90)) + random.gauss(0, 7)
            colours = random.choice((*family, family[1], TERRACOTTA))
            drawn.append((at[1], roof(at, half, half * random.uniform(0.68, 0.86), turn, colours)))
    for _ in range(160):
        at, size = (random.random(), random.random()), random.uniform(0.014, 0.022)
        if not inside(at, city.region) or any(
            distance_to_line(at, wall) < size + 0.03 for wall in city.walls
        ):
            continue
        if any(distance(at, place) < reach for place, reach in fixed):
            continue
        if all(distance(at, other) > far * 1.05 + size for other, far in standing):
            standing.append((at, size))
            drawn.append((at[1], tree(random, at, size)))
    yield from (text for _, text in sorted(drawn, key=lambda house: house[0]))


def _open_place(
    city: City, random: Random, taken: list[tuple[Point, float]], need: float
) -> tuple[Point, float]:
    """The roomiest of some places in a city, and the room beyond what is needed there."""
    best = ((0.5, 0.5), 0.0)
    for _ in range(200):
        at = (random.uniform(0.15, 0.85), random.uniform(0.15, 0.85))
        if inside(at, city.region):
            spare = min([distance_to_line(at, wall) - need - 0.02 for wall in city.walls] or [1.0])
            spare = min([spare, *(distance(at, place) - reach - need for place, reach in taken)])
            best = max(best, (at, spare), key=lambda item: item[1])
    return best


def roof(at: Point, long: float, wide: float, turn: float, colours: tuple[str, str, str]) -> str:
    """A gabled roof, `long` and `wide` half its sides, turned by degrees, lit from the north-west."""
    light, dark, ridge = colours
    angle = turn * pi / 180
    north_west = -sin(angle) * -0.6 + cos(angle) * -0.8 < 0  # whether its own upper side looks there
    upper, lower = (light, dark) if north_west else (dark, light)
    shadow = (0.014 * cos(angle) + 0.018 * sin(angle), -0.014 * sin(angle) + 0.018 * cos(angle))
    body = mark(
        "rect",
        x=-long + shadow[0],
        y=-wide + shadow[1],
        width=2 * long,
        height=2 * wide,
        fill="#2a1b12",
        opacity=0.5,
    )
    body += mark("rect", x=-long, y=-wide, width=2 * long, height=wide, fill=upper)
    body += mark("rect", x=-long, y=0.0, width=2 * long, height=wide, fill=lower)
    steps = max(4, round(long / 0.008))
    courses = "".join(f"M{-long + 2 * long * i / steps:.4f} {-wide:.4f}V{wide:.4f}" for i in range(1, steps))
    body += stroke(courses, INK, 0.0022, opacity=0.3)
    body += stroke(f"M{-long} 0H{long}", ridge, 0.0065)
    body += mark(
        "rect", x=-long, y=-wide, width=2 * long, height=2 * wide, fill="none", stroke=INK, stroke_width=0.005
    )
    body += mark(
        "rect",
        x=long * 0.45,
        y=-wide * 0.62,
        width=0.014,
        height=0.014,
        fill="#8c7a6c",
        stroke=INK,
        stroke_width=0.004,
    )
    return mark("g", body, transform=moved(at, turn))


def church(at: Point, turn: float) -> str:
    """A church with a tower, half 0.1 long."""
    slate = ("#8fa4c0", "#5f7391", "#d5e0ee")
    nave = roof((0.0, 0.0), 0.095, 0.036, 0.0, slate) + roof((0.03, 0.0), 0.07, 0.028, 90.0, slate)
    spire = mark(
        "rect", x=-0.125, y=-0.034, width=0.068, height=0.068, fill="#c9bda8", stroke=INK, stroke_width=0.006
    )
    spire += "".join(
        mark("path", d=f"M-.091 0L{u0} {v0}L{u1} {v1}Z", fill=fill)
        for fill, u0, v0, u1, v1 in (
            ("#a9bcd6", -0.121, -0.03, -0.061, -0.03),
            ("#5f7391", -0.061, -0.03, -0.061, 0.03),
            ("#4c5e7a", -0.061, 0.03, -0.121, 0.03),
            ("#8094b3", -0.121, 0.03, -0.121, -0.03),
        )
    )
    spire += stroke("M-.105 0H-.077M-.091 -.014V.014", "#ffe08a", 0.007)
    return mark("g", nave + spire, transform=moved(at, turn))


def hall(at: Point, turn: float) -> str:
    """A market hall: an open square with stalls around it."""
    ground = mark(
        "rect",
        x=-0.1,
        y=-0.085,
        width=0.2,
        height=0.17,
        rx=0.012,
        fill="#efe0bb",
        stroke="#b39a6c",
        stroke_width=0.006,
    )
    awnings = (("#c8382c", "#f6efe0"), ("#2f6ea8", "#f6efe0"), ("#3d8a4a", "#f6efe0"), ("#d99a1f", "#f6efe0"))
    stalls = ""
    for index, (a, b) in enumerate(awnings):
        u, v = (-0.06, 0.06)[index % 2], (-0.055, 0.055)[index // 2]
        stalls += mark(
            "rect", x=u - 0.022, y=v - 0.012, width=0.05, height=0.034, fill="#3a2a1c", opacity=0.45
        )
        for k in range(4):
            stalls += mark(
                "rect", x=u - 0.026 + 0.013 * k, y=v - 0.018, width=0.013, height=0.036, fill=(a, b)[k % 2]
            )
    return mark(
        "g",
        ground + stalls + roof((0, 0), 0.05, 0.026, 0, ("#b98d5a", "#8a6236", "#e3c08d")),
        transform=moved(at, turn),
    )


def fountain(at: Point, turn: float) -> str:
    """A round square with a fountain and trees."""
    parts = dot((0, 0), 0.1, fill="#efe2c2", stroke="#b8a070", stroke_width=0.006)
    parts += stroke("M-.1 0H.1M0 -.1V.1", "#d5c092", 0.006)
    parts += dot((0.006, 0.01), 0.048, fill="#2a1b12", opacity=0.4) + dot(
        (0, 0), 0.044, fill="#a89c8a", stroke=INK, stroke_width=0.005
    )
    parts += dot((0, 0), 0.034, fill="#4fa3cf") + dot((-0.008, -0.009), 0.016, fill="#a9dcf2")
    parts += dot((0, 0), 0.011, fill="#efe8da", stroke=INK, stroke_width=0.004)
    random = Random(f"fountain {turn:.3f}")
    parts += "".join(
        tree(random, (0.078 * cos(a), 0.078 * sin(a)), 0.017) for a in (pi / 4 + k * pi / 2 for k in range(4))
    )
    return mark("g", parts, transform=moved(at, turn))


def _wall(line: Line) -> str:
    """A town wall seen from above: walk between parapets, towers along it."""
    data = "M" + "L".join(f"{u:.4f} {v:.4f}" for u, v in line)
    parts = [
        stroke(data, SHADE, 0.046, opacity=0.5, transform=moved((0.008, 0.012))),
        stroke(data, INK, 0.046, stroke_linejoin="round"),
        stroke(data, STONE, 0.036, stroke_linejoin="round"),
        stroke(data, LIT, 0.036, stroke_dasharray="0.011 0.009"),
        stroke(data, "#8d7f6c", 0.019, stroke_linejoin="round"),
        stroke(data, "#cfc2ac", 0.012, stroke_linejoin="round"),
    ]
    length = sum(distance(a, b) for a, b in pairwise(line))
    count = max(2, round(length / 0.3))
    steps = walk(line, length / count)
    parts += [_tower(at) for at, _ in steps[:count]]
    return "".join(parts)


#: Slices of a tower's roof, clockwise from the west.
SLICES = ("#dd8a58", "#ee9d66", "#e58d58", "#c9683e", "#9d4428", "#8a3822", "#9d4428", "#c06038")


def _tower(at: Point) -> str:
    """A round tower with a tiled cone."""
    reach, slices = 0.034, ""
    for index, fill in enumerate(SLICES):
        a, b = polar(reach, pi * (index / 4 - 1)), polar(reach, pi * ((index + 1) / 4 - 1) + 0.02)
        arc = f"M0 0L{a[0]:.4f} {a[1]:.4f}A{reach} {reach} 0 0 1 {b[0]:.4f} {b[1]:.4f}Z"
        slices += mark("path", d=arc, fill=fill)
    return mark(
        "g",
        dot((0.011, 0.016), 0.044, fill="#1c1610", opacity=0.5)
        + dot((0, 0), 0.044, fill=STONE, stroke=INK, stroke_width=0.006)
        + slices
        + dot((0, 0), 0.007, fill="#ffe7b0"),
        transform=moved(at),
    )


def _gate(wall: Line, at: Point) -> str:
    """A gatehouse where a road goes through a wall."""
    (u, v), (du, dv) = min(walk(wall, 0.01), key=lambda step: hypot(step[0][0] - at[0], step[0][1] - at[1]))
    turn = np.degrees(np.arctan2(dv, du))
    body = mark("rect", x=-0.062, y=-0.036, width=0.138, height=0.088, fill="#1c1610", opacity=0.45)
    body += mark(
        "rect",
        x=-0.07,
        y=-0.045,
        width=0.14,
        height=0.09,
        rx=0.01,
        fill=STONE,
        stroke=INK,
        stroke_width=0.007,
    )
    body += mark(
        "rect", x=-0.028, y=-0.045, width=0.056, height=0.09, fill="#5a3b22", stroke=INK, stroke_width=0.005
    )
    body += stroke("M-.028 -.02H.028M-.028 .005H.028M-.028 .03H.028", "#8a6238", 0.007)
    gate = mark("g", body, transform=moved((u, v), float(turn)))
    towers = "".join(_tower((u + du * s, v + dv * s)) for s in (-0.066, 0.066))
    return gate + towers


def pennant(at: Point) -> str:
    """A shield with a golden tower on blue."""
    shield = "M-.8 -.92H.8V.1Q.8 .72 0 1.02Q-.8 .72 -.8 .1Z"
    body = mark("path", d=shield, fill="#120c08", opacity=0.55, transform=moved((0.1, 0.14), 0, 1.1))
    body += mark(
        "path", d=shield, fill="#fff6dc", stroke="#2b1d12", stroke_width=0.09, transform=moved((0, 0), 0, 1.1)
    )
    body += mark(
        "path",
        d=shield,
        fill="#1f3f9e",
        stroke="#0f1f5a",
        stroke_width=0.06,
        transform=moved((0, 0.0), 0, 0.9),
    )
    body += mark("path", d="M-.72 -.83H0V.92Q-.72 .66 -.72 .1Z", fill="#3a63d0", opacity=0.75)
    tower = "M-.42 .5V-.16H-.5V-.58H-.27V-.4H-.12V-.58H.12V-.4H.27V-.58H.5V-.16H.42V.5Z"
    body += mark(
        "path", d=tower, fill="#ffd24a", stroke="#6d4a08", stroke_width=0.06, stroke_linejoin="round"
    )
    body += mark("path", d="M-.13 .5V.16Q-.13 0 0 0Q.13 0 .13 .16V.5Z", fill="#6d4a08")
    return mark("g", body, transform=moved(at, 0, PENNANT))
