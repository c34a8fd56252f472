"""Bushes: a canopy of leaf clumps in three shades over its own shadow, with palms and blossom."""

from math import pi
from random import Random
from typing import TypeAlias

import numpy as np

from samples.artwork.geometry import Point, distance, edge_point, margin
from samples.artwork.raster import Plane, blurred, inside_field, mixed, over, rgb, svg
from samples.artwork.savanna.layout import Bush, Layout
from samples.artwork.svg_marks import curve, dot, mark, moved, polar, stroke

#: Dark, middle, light and glint of a clump of leaves.
Shades: TypeAlias = tuple[str, str, str, str]
SHADOW, FLOOR, NIGHT = rgb("#3c2f14"), rgb("#1d3f22"), "#12301a"
FAMILIES: tuple[Shades, ...] = (
    ("#1f4a27", "#2f6b33", "#4b8b3c", "#86b653"),
    ("#1d4a31", "#2a6a41", "#43894c", "#79b061"),
    ("#2a4d22", "#40702d", "#5f9038", "#9bbb54"),
)
BLOSSOMS = (
    ("#f6c343", "#b8641a"),
    ("#ef6a8a", "#8d1f45"),
    ("#f7ead0", "#d99a2b"),
    ("#f0803c", "#8a2f12"),
)
#: Clumps on a tile's edge, (along, radius): symmetric and always the same, so that halves make whole clumps.
EDGE_CLUMPS = (
    (0.135, 0.056),
    (0.235, 0.07),
    (0.345, 0.066),
    (0.445, 0.07),
    (0.555, 0.07),
    (0.655, 0.066),
    (0.765, 0.07),
    (0.865, 0.056),
)


def paint_bushes(picture: Plane, layout: Layout, seed: str) -> Plane:
    """Lays every bush of a tile over the picture."""
    for index, bush in enumerate(layout.bushes):
        mask = inside_field(bush.region)
        side = mask.shape[0]
        moved_mask = np.pad(mask, ((12, 0), (9, 0)), mode="edge")[:side, :side]
        picture = mixed(picture, SHADOW, 0.6 * blurred(moved_mask, 0.018))
        picture = mixed(picture, FLOOR, 0.9 * blurred(mask, 0.006))
        picture = over(picture, svg(_canopy(bush, Random(f"bush {index} {seed}"))))
    return picture


def _canopy(bush: Bush, random: Random) -> str:
    clumps = [(edge_point(edge, along), radius) for edge in bush.edges for along, radius in EDGE_CLUMPS]
    on_edge = len(clumps)
    # Large clumps first, then small ones that fill the shores.
    for tries, low, high, inset in ((900, 0.042, 0.068, 0.62), (700, 0.028, 0.038, 0.5)):
        for _ in range(tries):
            at, radius = (random.random(), random.random()), random.uniform(low, high)
            if margin(at, bush.region) < radius * inset:
                continue
            if all(distance(at, other) > (radius + far) * 0.52 for other, far in clumps):
                clumps.append((at, radius))
    order = sorted(range(len(clumps)), key=lambda i: clumps[i][0][1] + random.uniform(-0.06, 0.06))
    family = random.choice(FAMILIES)
    parts = []
    for number in order:
        shades = FAMILIES[0] if number < on_edge else random.choice((family, family, *FAMILIES))
        parts.append(clump(random, *clumps[number], shades))
    return "".join(parts + _treetops(bush, random))


def clump(random: Random, at: Point, radius: float, shades: Shades, flat: float = 1.0) -> str:
    """A rounded clump of leaves, lit from the north-west; `flat` squashes it."""
    dark, mid, light, glint = shades

    def layer(scale: float, lobes: int, fill: str, shift: Point, **more: float) -> str:
        place = moved((radius * shift[0], radius * shift[1]))
        return mark("path", d=_scalloped(random, radius * scale, lobes), fill=fill, transform=place, **more)

    parts = [
        layer(1.04, 11, NIGHT, (0.09, 0.14), opacity=0.55),
        layer(1.0, 11, dark, (0.0, 0.0)),
        layer(0.8, 9, mid, (-0.12, -0.13)),
        layer(0.5, 8, light, (-0.26, -0.28)),
    ]
    for _ in range(7):
        u, v = polar(radius * random.uniform(0.1, 0.85), random.uniform(0, 2 * pi))
        fill = glint if u + v < radius * 0.1 else mid
        leaf = moved((u, v), random.uniform(0, 180))
        parts.append(dot((0, 0), radius * 0.15, radius * 0.07, fill=fill, opacity=0.9, transform=leaf))
    return mark("g", "".join(parts), transform=moved(at, 0, (1, flat)))


def _scalloped(random: Random, radius: float, lobes: int) -> str:
    """Path data: a closed border with round lobes about the origin."""
    turn = random.uniform(0, 2 * pi)
    corners = [
        polar(radius * random.uniform(0.86, 0.97), turn + 2 * pi * (i + random.uniform(-0.15, 0.15)) / lobes)
        for i in range(lobes)
    ]
    points = [corners[0]]
    for (au, av), (bu, bv) in zip(corners, corners[1:] + corners[:1], strict=True):
        points += [((au + bu) * 0.61, (av + bv) * 0.61), (bu, bv)]
    return curve(*points) + "Z"


def _treetops(bush: Bush, random: Random) -> list[str]:
    """One to three palms or sprays of blossom, clear of birds and animals: they tell designs apart."""
    taken = [*bush.birds, *([bush.animal] if bush.animal else [])]
    parts = []
    for _ in range(random.choice((1, 2, 2, 3))):
        for _ in range(60):
            at, size = (random.random(), random.random()), random.uniform(0.055, 0.075)
            if margin(at, bush.region) < size * 0.9 or any(distance(at, other) < 0.19 for other in taken):
                continue
            taken.append(at)
            parts.append((_palm if random.random() < 0.6 else _blossom)(random, at, size))
            break
    return parts


def _palm(random: Random, at: Point, size: float) -> str:
    fronds = [dot((0.14, 0.2), 0.85, fill="#0b2011", opacity=0.4)]
    count, turn = random.choice((8, 9, 10)), random.uniform(0, 360)
    dark, light = random.choice((("#3f7a2e", "#a9cf5c"), ("#2f7a4a", "#8fd07a"), ("#5d8a2a", "#cfdc68")))
    for index in range(count):
        angle = turn + 360 * index / count + random.uniform(-9, 9)
        frond = mark("path", d="M0 0Q.45 -.3 1 .02Q.5 .12 0 0Z", fill=dark, stroke=NIGHT, stroke_width=0.04)
        rib = stroke("M.08 -.03Q.5 -.18 .88 -.01", light, 0.07, stroke_linecap="round")
        fronds.append(mark("g", frond + rib, transform=moved((0, 0), angle, (random.uniform(0.85, 1.1), 1))))
    fronds.append(dot((0, 0), 0.12, fill="#c08a3a", stroke=NIGHT, stroke_width=0.04))
    return mark("g", "".join(fronds), transform=moved(at, 0, size * 1.25))


def _blossom(random: Random, at: Point, size: float) -> str:
    petals, heart = random.choice(BLOSSOMS)
    parts = []
    for _ in range(random.randint(8, 12)):
        place = (at[0] + random.gauss(0, size * 0.42), at[1] + random.gauss(0, size * 0.42))
        radius = size * random.uniform(0.13, 0.2)
        parts.append(dot(place, radius, fill=petals, stroke="#1d3a1c", stroke_width=0.0022))
        parts.append(dot(place, radius * 0.36, fill=heart))
    return "".join(parts)
