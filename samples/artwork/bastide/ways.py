"""Roads, bridges, places where roads meet, and rivers."""

from math import cos, pi, sin
from random import Random

import numpy as np

from samples.artwork.bastide.land import tree
from samples.artwork.bastide.plans import CROSSING_RADIUS, ROAD_HALF, Plan
from samples.artwork.bastide.town import INK, STONE, roof
from samples.artwork.geometry import Line, distance_to_line, walk
from samples.artwork.raster import (
    SIZE,
    Plane,
    calm,
    distance_field,
    grid,
    mixed,
    noise,
    over,
    rgb,
    smoothstep,
    svg,
)
from samples.artwork.svg_marks import dot, mark, moved, stroke
from samples.artwork.taiga.layouts import Layout
from samples.artwork.taiga.places import Places
from samples.artwork.taiga.structure import Tile
from samples.artwork.taiga.water import paint_water as taiga_water
from samples.artwork.taiga.water import stone

EDGE, DUST, RUT = rgb("#8f7440"), rgb("#f3e6c2"), rgb("#cfb583")


def paint_water(picture: Plane, plan: Plan) -> Plane:
    """Lays river and lake over the picture; rocks around a source."""
    course = Layout(Tile(plan.entry), {}, plan.lakes, plan.rivers)
    picture = taiga_water(picture, course, Places(0.0), plan.id)
    if plan.entry.get("river") == "source":
        random = Random(f"source {plan.id}")
        rocks = []
        for line in plan.lakes.values():
            for index, at in enumerate(line):
                if index % 2 == 0 and all(distance_to_line(at, road) > 0.07 for road in plan.rivers.values()):
                    place = (at[0] + random.gauss(0, 0.008), at[1] + random.gauss(0, 0.008))
                    rocks.append((place[1], stone(random, place, random.uniform(0.016, 0.028))))
        picture = over(picture, svg("".join(text for _, text in sorted(rocks))))
    return picture


def paint_roads(picture: Plane, plan: Plan) -> Plane:
    """Lays a tile's roads over the picture, with bridges and the place where they meet."""
    if not plan.roads:
        return picture
    random = np.random.default_rng(list(f"road {plan.id}".encode()))
    field = np.full((SIZE, SIZE), 9.0, np.float32)
    for line in plan.roads.values():
        field = np.minimum(field, distance_field(line))
    if plan.crossing is not None:
        across, down = grid()
        around = np.hypot(across - plan.crossing[0], down - plan.crossing[1]) - np.float32(
            CROSSING_RADIUS - ROAD_HALF
        )
        field = np.minimum(field, np.maximum(around, 0))
    wobble = field + 0.004 * noise(random, 30) * calm(0.1)
    picture = mixed(picture, rgb("#33421c"), 0.4 * smoothstep(ROAD_HALF + 0.02, ROAD_HALF - 0.002, wobble))
    picture = mixed(picture, EDGE, smoothstep(ROAD_HALF + 0.004, ROAD_HALF - 0.003, wobble))
    dust = (
        np.broadcast_to(DUST, (SIZE, SIZE, 3))
        * (1 + 0.05 * noise(random, 90) + 0.04 * noise(random, 34))[..., None]
    )
    picture = mixed(
        picture, dust.astype(np.float32), smoothstep(ROAD_HALF - 0.004, ROAD_HALF - 0.012, wobble)
    )
    ruts = np.exp(-(((field - 0.016) / 0.0045) ** 2)).astype(np.float32)
    picture = mixed(picture, RUT, 0.75 * ruts * np.clip(0.7 + 0.5 * noise(random, 25), 0, 1))
    draw = Random(f"pebbles {plan.id}")
    pebbles = []
    for line in plan.roads.values():
        for (u, v), (du, dv) in walk(line, 0.02):
            off = draw.choice((-1, 1)) * draw.uniform(0.034, 0.046)
            if draw.random() < 0.6:
                pebbles.append(stone(draw, (u - dv * off, v + du * off), draw.uniform(0.004, 0.008)))
    picture = over(picture, svg("".join(pebbles)))
    bridges = [_bridge(line, water) for line in plan.roads.values() for water in plan.rivers.values()]
    picture = over(picture, svg("".join(bridges)))
    if plan.crossing is not None:
        picture = over(picture, svg(_meeting(plan)))
    return picture


def _bridge(road: Line, water: Line) -> str:
    """A stone bridge where a road crosses a river; nothing where it does not."""
    near = [(distance_to_line(at, water), at, along) for at, along in walk(road, 0.01)]
    gap, at, (du, dv) = min(near)
    if gap > 0.02:
        return ""
    turn = float(np.degrees(np.arctan2(dv, du)))
    body = mark("rect", x=-0.082, y=-0.05, width=0.18, height=0.13, fill="#0c2233", opacity=0.45)
    body += mark(
        "rect", x=-0.09, y=-0.06, width=0.18, height=0.12, fill=STONE, stroke=INK, stroke_width=0.007
    )
    body += mark("rect", x=-0.09, y=-0.038, width=0.18, height=0.076, fill="#e9d9b4")
    body += stroke(
        "M-.06 -.038V.038M-.03 -.038V.038M0 -.038V.038M.03 -.038V.038M.06 -.038V.038", "#bfa878", 0.004
    )
    for side in (-0.05, 0.05):
        body += stroke(f"M-.09 {side}H.09", "#efe6d4", 0.012, stroke_dasharray="0.016 0.008")
    for u in (-0.09, 0.09):
        for v in (-0.05, 0.05):
            body += dot((u, v), 0.017, fill="#cabda7", stroke=INK, stroke_width=0.005)
    return mark("g", body, transform=moved(at, turn))


def _meeting(plan: Plan) -> str:
    """Middle of a crossing: a well, a wayside cross, or an oak among cottages."""
    at = plan.crossing
    assert at is not None
    random = Random(f"meeting {plan.id}")
    if plan.id == "BC-L":
        body = dot((0.008, 0.012), 0.05, fill="#2a1b12", opacity=0.4) + dot(
            (0, 0), 0.046, fill="#a59a88", stroke=INK, stroke_width=0.006
        )
        body += dot((0, 0), 0.03, fill="#27506b") + dot((-0.008, -0.008), 0.012, fill="#78b6d6")
        body += stroke("M-.056 0H.056", "#5d3d20", 0.012) + dot((0, 0), 0.01, fill="#8a6238")
        return mark("g", body, transform=moved(at, 30))
    if plan.id == "BC-W":
        body = dot((0, 0), 0.05, fill="#c3b59a", stroke=INK, stroke_width=0.005) + dot(
            (0, 0), 0.036, fill="#ddd1b8"
        )
        body += mark(
            "path",
            d="M-.008 .03L-.008 -.006H-.03V-.022H-.008V-.05H.008V-.022H.03V-.006H.008V.03Z",
            fill="#f7f0df",
            stroke=INK,
            stroke_width=0.005,
        )
        return mark("g", body, transform=moved(at, 0, 1.15))
    body = "".join(
        roof((at[0] + 0.155 * cos(a), at[1] + 0.155 * sin(a)), 0.05, 0.038, a * 180 / pi + 90, colours)
        for a, colours in zip(
            (pi / 4, 3 * pi / 4, 5 * pi / 4, 7 * pi / 4),
            (
                ("#e08a52", "#b85a30", "#f6c594"),
                ("#e6bd62", "#b98d33", "#fae7ae"),
                ("#d2643c", "#a03f24", "#f0a680"),
                ("#c9a06a", "#967040", "#ecd3a6"),
            ),
            strict=True,
        )
    )
    return body + tree(random, at, 0.052, ("#2c5a1c", "#4f8a2a", "#97c24c"))
