"""Scenery of the savanna: tufts, stones, termite mounds, thorns, flowers, dead wood."""

from collections.abc import Callable
from math import cos, pi, sin
from random import Random
from typing import TypeAlias

from samples.artwork.geometry import TRAIL_HALF, Point, distance, distance_to_line, inside
from samples.artwork.ground import blade
from samples.artwork.raster import Plane, svg
from samples.artwork.savanna.layout import Layout
from samples.artwork.svg_marks import curve, dot, mark, moved, polygon, stroke

Drawer: TypeAlias = Callable[[Random, Point, float], str]
SHADE = "#4a3820"


def tuft(random: Random, at: Point, size: float) -> str:
    """A tuft of tall grass with its shadow."""
    u, v = at
    green = random.random() < 0.45
    shades = ("#5f6b2c", "#86893a", "#b6ab55") if green else ("#8a6a2c", "#b98f41", "#f0d78a")
    parts = [dot((u + size * 0.16, v), size * 0.55, size * 0.17, fill="#5a4420", opacity=0.35)]
    for colour, count in zip(shades, (6, 6, 4), strict=True):
        for _ in range(count):
            lean = random.uniform(-0.95, 0.95)
            foot = (u + lean * size * 0.22, v - random.uniform(0, size * 0.05))
            length = size * random.uniform(0.6, 1.05) * (1 - 0.3 * abs(lean))
            parts.append(blade(foot, lean, length, colour, size * 0.055))
    return mark("g", "".join(parts), stroke_linecap="round")


def rock(random: Random, at: Point, size: float) -> str:
    """A stone: a lumpy polygon, lit from the north-west."""
    u, v = at
    count, turn = random.randint(6, 8), random.uniform(0, pi)
    border = []
    for index in range(count):
        angle, reach = turn + 2 * pi * index / count, size * random.uniform(0.4, 0.58)
        border.append((reach * cos(angle), reach * 0.72 * sin(angle)))
    base, light = random.choice((("#8d8071", "#b9ab97"), ("#9a7f63", "#c7a985"), ("#7f7a74", "#aaa59b")))

    def lump(scale: float, shift: float) -> str:
        return polygon([(u + a * scale + shift * size, v + b * scale + shift * size) for a, b in border])

    return (
        mark("path", d=lump(1.12, 0.125), fill=SHADE, opacity=0.4)
        + mark(
            "path",
            d=lump(1, 0),
            fill=base,
            stroke="#574a3c",
            stroke_width=size * 0.06,
            stroke_linejoin="round",
        )
        + mark("path", d=lump(0.62, -0.09), fill=light)
    )


def rocks(random: Random, at: Point, size: float) -> str:
    """Three stones leaning together."""
    u, v = at
    places = ((-0.25, -0.1, 0.75), (0.3, 0.0, 0.6), (0.02, 0.22, 0.5))
    return "".join(rock(random, (u + du * size, v + dv * size), size * scale) for du, dv, scale in places)


def shrub(random: Random, at: Point, size: float) -> str:
    """A dry thorn bush: bare twigs with a little leaf, much smaller and paler than a bush that counts."""
    u, v = at
    parts = [dot((u + size * 0.15, v), size * 0.6, size * 0.18, fill=SHADE, opacity=0.35)]
    for _ in range(9):
        lean, length = random.uniform(-1.2, 1.2), size * random.uniform(0.5, 0.85)
        parts.append(blade(at, lean, length, "#6b4a2c", size * 0.045))
    for _ in range(22):
        angle, reach = random.uniform(-1.3, 1.3), size * random.uniform(0.35, 0.85)
        fill = random.choice(("#a8a24a", "#c7b65a", "#8b8a3c"))
        leaf = (u + reach * sin(angle), v - reach * cos(angle))
        parts.append(dot(leaf, size * 0.075, fill=fill, stroke="#5b5424", stroke_width=size * 0.018))
    return mark("g", "".join(parts), stroke_linecap="round")


def mound(random: Random, at: Point, size: float) -> str:
    """A termite mound: a small knobbly tower of red earth."""
    u, v = at
    parts = [dot((u + size * 0.25, v), size * 0.75, size * 0.2, fill="#4a3018", opacity=0.35)]
    half = size * 0.24
    for shift, height in sorted((random.uniform(-0.3, 0.3), random.uniform(0.7, 1.25)) for _ in range(3)):
        foot, low, top = u + shift * size, v + size * 0.06, v - height * size
        middle = v - height * size * 0.55
        tower = curve(
            (foot - half, low),
            (foot - half * 0.7, middle),
            (foot, top),
            (foot + half * 0.8, middle),
            (foot + half * 1.1, low),
        )
        light = curve(
            (foot - half * 0.4, v), (foot - half * 0.35, middle), (foot - half * 0.05, top + size * 0.1)
        )
        parts.append(mark("path", d=f"{tower}Z", fill="#b0683a", stroke="#6f3d20", stroke_width=size * 0.05))
        parts.append(stroke(light, "#d99562", size * 0.11, stroke_linecap="round"))
    return "".join(parts)


def flowers(random: Random, at: Point, size: float) -> str:
    """A few small blossoms."""
    colour = random.choice(("#e8623a", "#f4ead2", "#d2476b", "#f1a72f"))
    parts = []
    for _ in range(random.randint(4, 6)):
        u, v = at[0] + random.gauss(0, size * 0.34), at[1] + random.gauss(0, size * 0.28)
        parts.append(blade((u, v + size * 0.28), 0.0, size * 0.26, "#6f7a34", size * 0.05))
        parts.append(dot((u, v), size * 0.14, fill=colour, stroke="#7a4a20", stroke_width=size * 0.025))
        parts.append(dot((u, v), size * 0.048, fill="#5c3a14"))
    return mark("g", "".join(parts), stroke_linecap="round")


def log(random: Random, at: Point, size: float) -> str:
    """A dead branch, bleached by the sun; drawn 1.6 units long."""
    wood, shade = "M-.75 0L.8 -.05M.1 -.03L.5 -.42M-.3 -.02L-.55 -.34", "#7b6247"
    parts = (
        stroke(wood, SHADE, 0.22, opacity=0.4, transform="translate(.09 .18)")
        + stroke(wood, shade, 0.22)
        + stroke("M-.72 -.05L.75 -.1M.12 -.09L.46 -.42", "#c0a583", 0.08)
    )
    return mark("g", parts, transform=moved(at, random.uniform(-50, 50), size), stroke_linecap="round")


#: Radius of a thing around its place, in its own sizes.
REACH: dict[Drawer, float] = {
    tuft: 0.8,
    rock: 0.7,
    rocks: 0.75,
    shrub: 0.9,
    mound: 1.25,
    flowers: 0.9,
    log: 0.95,
}


def _is_taken(layout: Layout, at: Point, reach: float) -> bool:
    """Whether something of that reach would touch a feature, an animal, a baobab or the tile's border."""
    if min(*at, 1 - at[0], 1 - at[1]) < reach + 0.01:
        return True
    if any(distance_to_line(at, trail.path) < TRAIL_HALF + reach for trail in layout.trails):
        return True
    for bush in layout.bushes:
        if inside(at, bush.region) or distance_to_line(at, bush.region) < reach + 0.02:
            return True
    near = layout.animal_radius + reach + 0.02
    if any(distance(at, place) < near for place in layout.animal_places.values()):
        return True
    if layout.baobab is None:
        return False
    (u, v), height = layout.baobab.centre, layout.baobab.height
    return abs(at[0] - u) < height * 0.42 + reach and abs(at[1] - v) < height * 0.52 + reach


def _wanted(random: Random) -> list[tuple[Drawer, float]]:
    """Scenery of a tile, largest first: three rarer things, some of middle size, many small ones."""
    rare: list[Drawer] = [mound, log, rocks, flowers, shrub]
    random.shuffle(rare)
    wanted = [(rare[0], random.uniform(0.1, 0.13)), (rare[1], random.uniform(0.08, 0.11))]
    wanted.append((rare[2], random.uniform(0.06, 0.08)))
    middling: tuple[Drawer, ...] = (tuft, tuft, tuft, rock, flowers)
    wanted += [(random.choice(middling), random.uniform(0.055, 0.085)) for _ in range(8)]
    small: tuple[Drawer, ...] = (tuft, tuft, tuft, tuft, rock)
    return wanted + [(random.choice(small), random.uniform(0.03, 0.046)) for _ in range(26)]


def things(layout: Layout, seed: str) -> Plane:
    """Everything that lies about on a tile where there is room, [SIZE, SIZE, 4]; southern ones in front."""
    random = Random(f"things {seed}")
    placed: list[tuple[Point, float, str]] = []
    for draw, size in _wanted(random):
        reach = size * REACH[draw]
        for _ in range(60):
            at = (random.random(), random.random())
            if _is_taken(layout, at, reach) or any(
                distance(at, other) < reach + far for other, far, _ in placed
            ):
                continue
            placed.append((at, reach, draw(random, at, size)))
            break
    return svg("".join(text for _, _, text in sorted(placed, key=lambda thing: thing[0][1])))
