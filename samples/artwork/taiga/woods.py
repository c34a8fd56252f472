"""Forests: spruces from above in tiers, dark below and light at the tip, over their own shadow."""

from math import cos, pi, sin
from random import Random
from typing import TypeAlias

import numpy as np

from samples.artwork.geometry import EDGES, Line, Point, distance, edge_point
from samples.artwork.raster import Plane, blurred, inside_field, mixed, over, rgb, svg
from samples.artwork.svg_marks import dot, mark, moved, polygon
from samples.artwork.taiga.layouts import GRAIN, Layout, filled, room
from samples.artwork.taiga.places import Places

#: Colours of a tree's tiers, from the lowest branches to the tip.
Shades: TypeAlias = tuple[str, str, str, str]
SPRUCE: Shades = ("#0f2f2a", "#1a4a3a", "#2a6a4c", "#6aa67a")
KINDS: tuple[Shades, ...] = (
    SPRUCE,
    ("#12331f", "#1f512b", "#33743a", "#7cae5c"),
    ("#0e2c33", "#174549", "#27645f", "#66a192"),
    ("#1b3a1c", "#2d5a26", "#467f34", "#93b85a"),
)
#: Larches and birches that turn early, in small groves: they tell tiles apart.
TURNING: tuple[Shades, ...] = (
    ("#5a3f12", "#8c641c", "#c08f2c", "#edcb63"),
    ("#5c2a14", "#8e4620", "#bd6a30", "#e6a45c"),
    ("#4a4f18", "#74782a", "#a3a43c", "#d9d578"),
)
FLOOR, SHADE, CLEARING = rgb("#16301f"), rgb("#26301a"), rgb("#7f8a55")
NIGHT = "#081a14"
#: Trees on a tile's edge, (along, radius): symmetric and always the same, so that halves make whole trees.
EDGE_TREES = (
    (0.105, 0.05),
    (0.19, 0.06),
    (0.285, 0.064),
    (0.39, 0.062),
    (0.5, 0.066),
    (0.61, 0.062),
    (0.715, 0.064),
    (0.81, 0.06),
    (0.895, 0.05),
)


def paint_woods(picture: Plane, layout: Layout, places: Places, seed: str) -> Plane:
    """Lays every forest of a tile over the picture, with clearings about menhirs and mushrooms."""
    for name, line in layout.forests.items():
        clearings = [(at, 0.082) for at in (places.menhirs[name],)] if name in places.menhirs else []
        clearings += [(at, 0.11) for at in places.mushrooms.get(name, [])]
        random = Random(f"woods {name} {seed}")
        mask = inside_field(line)
        side = mask.shape[0]
        shadow = np.pad(mask, ((16, 0), (12, 0)), mode="edge")[:side, :side]
        picture = mixed(picture, SHADE, 0.62 * blurred(shadow, 0.016))
        picture = mixed(picture, FLOOR, 0.95 * blurred(mask, 0.006))
        for at, reach in clearings:
            ring = svg(dot(at, reach * 1.1, reach, fill="#fff"))[..., 3]
            picture = mixed(picture, CLEARING, 0.9 * blurred(ring, 0.012))
        trees = _trees(layout.tile.edges_of(name), line, clearings, random)
        picture = over(picture, svg("".join(trees)))
    return picture


def _trees(edges: str, line: Line, clearings: list[tuple[Point, float]], random: Random) -> list[str]:
    """The trees of a forest from north to south, each in front of those behind it."""
    standing = [(edge_point(e, along), radius) for e in EDGES if e in edges for along, radius in EDGE_TREES]
    fixed = len(standing)
    mask = filled([line])
    inside = room(mask, rim=False) - room((255 - mask).astype(np.uint8), rim=False)
    # Large trees first, then small ones that fill the shores.
    for tries, low, high, inset in (
        (700, 0.066, 0.084, 0.8),
        (1100, 0.046, 0.062, 0.74),
        (1100, 0.033, 0.043, 0.66),
        (1200, 0.021, 0.029, 0.5),
    ):
        for _ in range(tries):
            at, radius = (random.random(), random.random()), random.uniform(low, high)
            if inside[int(at[1] * GRAIN), int(at[0] * GRAIN)] < radius * inset:
                continue
            if any(distance(at, place) < reach + radius * 0.72 for place, reach in clearings):
                continue
            if all(distance(at, other) > (radius + far) * 0.62 for other, far in standing):
                standing.append((at, radius))
    groves = [
        (random.choice(standing)[0], random.uniform(0.07, 0.13)) for _ in range(random.choice((0, 1, 1, 2)))
    ]
    turning, family = random.choice(TURNING), random.choice(KINDS)
    order = sorted(range(len(standing)), key=lambda i: standing[i][0][1])
    parts = []
    for number in order:
        at, radius = standing[number]
        if number < fixed:
            parts.append(tree(Random("edge"), at, radius, SPRUCE))
            continue
        in_grove = any(distance(at, place) < reach for place, reach in groves)
        shades = turning if in_grove and random.random() < 0.8 else random.choice((family, family, *KINDS))
        if min(*at, 1 - at[0], 1 - at[1]) < 0.06:
            shades = SPRUCE
        parts.append(tree(random, at, radius, shades))
    return parts


def tree(random: Random, at: Point, radius: float, shades: Shades) -> str:
    """A conifer from above: four star-shaped tiers, each smaller, lighter and nearer to the light."""
    parts = [dot((0.24, 0.34), 1.0, 0.92, fill="#04120d", opacity=0.42)]
    turn, points = random.uniform(0, 2 * pi), random.choice((9, 10, 11))
    for tier, (scale, fill) in enumerate(zip((1.08, 0.82, 0.54, 0.26), shades, strict=True)):
        shift = (-0.055 * tier, -0.13 * tier)
        star = _star(random, scale, points - tier, turn + tier * 0.7)
        parts.append(
            mark(
                "path", d=star, fill=NIGHT, opacity=0.55, transform=moved((shift[0] + 0.07, shift[1] + 0.11))
            )
        )
        parts.append(mark("path", d=star, fill=fill, transform=moved(shift)))
        if tier in (1, 2):  # what the sun reaches of this tier
            lit = _star(random, scale * 0.62, points - tier, turn + tier * 0.7)
            place = moved((shift[0] - 0.17 * scale, shift[1] - 0.2 * scale))
            parts.append(mark("path", d=lit, fill=shades[tier + 1], opacity=0.5, transform=place))
    return mark("g", "".join(parts), transform=moved(at, 0, radius))


def _star(random: Random, radius: float, points: int, turn: float) -> str:
    border = []
    for index in range(2 * points):
        reach = radius * (random.uniform(0.92, 1.08) if index % 2 == 0 else random.uniform(0.62, 0.72))
        angle = turn + pi * index / points
        border.append((reach * cos(angle), reach * sin(angle)))
    return polygon(border)
