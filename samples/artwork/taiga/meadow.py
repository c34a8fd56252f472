"""Meadow: moss and gold in soft patches, short grass, and scenery that does not count."""

from collections.abc import Callable
from math import cos, pi, sin
from random import Random
from typing import TypeAlias

import numpy as np

from samples.artwork.geometry import Point, distance
from samples.artwork.ground import blade
from samples.artwork.raster import (
    SIZE,
    Plane,
    calm,
    fractal,
    mixed,
    noise,
    over,
    rgb,
    smoothstep,
    svg,
)
from samples.artwork.savanna.things import tuft
from samples.artwork.svg_marks import dot, mark, moved, polygon, stroke
from samples.artwork.taiga.layouts import GRAIN, Layout, room
from samples.artwork.taiga.places import Places

SWARD = rgb("#aeb35c")
#: Colours of patches and bumps across: straw, moss, ochre, grey-green, pale grass, heath, bog, deep green.
PATCHES = (
    (rgb("#e2c255"), 2),
    (rgb("#6c9440"), 2),
    (rgb("#c58f3c"), 3),
    (rgb("#86a880"), 2),
    (rgb("#f1e6a8"), 3),
    (rgb("#b98c86"), 2),
    (rgb("#8b7640"), 2),
    (rgb("#4f8450"), 3),
)
#: Strength of a tile's patches: two lead, so that tiles differ also from afar.
LEADING, FOLLOWING = (0.8, 0.95), (0.0, 0.5)
BLADES = ("#6f8338", "#8f9c42", "#c4b455", "#e6d98a", "#5f7434", "#d8c468", "#a8b060")
SPECKS = ("#f6f2dc", "#c98bb8", "#f2d24c", "#f6f2dc", "#b7a2d8")


def meadow(seed: str) -> Plane:
    """Grass all over a tile, RGB [SIZE, SIZE, 3]; at the border always of one mean colour."""
    return over(_ground(seed), _blades(seed))


def _ground(seed: str) -> Plane:
    random = np.random.default_rng(list(f"meadow {seed}".encode()))
    middle = calm(0.15)
    picture = np.broadcast_to(SWARD, (SIZE, SIZE, 3)).astype(np.float32)
    leading = set(random.choice(len(PATCHES), 2, replace=False).tolist())
    for index in random.permutation(len(PATCHES)).tolist():
        colour, cells = PATCHES[index]
        strength = random.uniform(*(LEADING if index in leading else FOLLOWING))
        patch = smoothstep(0.0, 0.75, fractal(random, cells)) * np.float32(strength)
        picture = mixed(picture, colour, patch * (0.1 + 0.9 * middle))
    # Hummocks: low noise lit from the north-west.
    bumps = noise(random, 13) + 0.6 * noise(random, 27)
    light = bumps - np.roll(np.roll(bumps, 5, 0), 4, 1)
    picture *= 1 + 0.11 * light[..., None]
    strokes = noise(random, (40, 110)) * 0.5 + noise(random, (75, 190)) * 0.5
    picture *= 1 + 0.07 * strokes[..., None]
    picture *= 1 + 0.018 * random.standard_normal((SIZE, SIZE, 1)).astype(np.float32)
    return np.asarray(np.clip(picture, 0, 1), np.float32)


def _blades(seed: str, count: int = 460) -> Plane:
    random = Random(f"blades {seed}")
    parts = []
    for _ in range(count):
        foot = (random.random(), random.random())
        lean, length = random.gauss(-0.15, 0.4), random.uniform(0.012, 0.03)
        parts.append(blade(foot, lean, length, random.choice(BLADES), random.uniform(0.002, 0.0036)))
    blossoms = []
    for _ in range(random.randint(3, 6)):  # small blossoms grow together
        u, v, colour = random.uniform(0.1, 0.9), random.uniform(0.1, 0.9), random.choice(SPECKS)
        for _ in range(random.randint(4, 9)):
            at = (u + random.gauss(0, 0.035), v + random.gauss(0, 0.03))
            blossoms.append(dot(at, random.uniform(0.0032, 0.0052), fill=colour, opacity=0.9))
    grass = mark("g", "".join(parts), opacity=0.6, stroke_linecap="round")
    return svg(grass + "".join(blossoms))


Drawer: TypeAlias = Callable[[Random, Point, float], str]
SHADE = "#2c331a"


def boulder(random: Random, at: Point, size: float) -> str:
    """An erratic block, lit from the north-west, with lichen."""
    count, turn = random.randint(7, 9), random.uniform(0, pi)
    border = []
    for index in range(count):
        angle, reach = turn + 2 * pi * index / count, random.uniform(0.44, 0.6)
        border.append((reach * cos(angle), reach * 0.76 * sin(angle)))
    base, light, dark = random.choice(
        (
            ("#8d8f8c", "#c9cbc4", "#5e615f"),
            ("#9a8f80", "#d3c7b4", "#675e52"),
            ("#7f8890", "#b9c3c8", "#525a62"),
        )
    )

    def lump(scale: float, u: float, v: float) -> str:
        return polygon([(a * scale + u, b * scale + v) for a, b in border])

    lichen = "".join(
        dot(
            (random.uniform(-0.28, 0.25), random.uniform(-0.22, 0.15)), random.uniform(0.04, 0.085), fill=fill
        )
        for fill in random.choices(("#d8c14a", "#b9c27a", "#e08a3a", "#dfe3c0"), k=4)
    )
    body = (
        mark("path", d=lump(1.12, 0.13, 0.17), fill=SHADE, opacity=0.45)
        + mark(
            "path", d=lump(1, 0, 0), fill=base, stroke="#3c3e38", stroke_width=0.06, stroke_linejoin="round"
        )
        + mark("path", d=lump(0.7, 0.12, 0.12), fill=dark, opacity=0.5)
        + mark("path", d=lump(0.6, -0.1, -0.11), fill=light)
    )
    return mark("g", body + lichen, transform=moved(at, 0, size))


def boulders(random: Random, at: Point, size: float) -> str:
    """Three blocks leaning together."""
    u, v = at
    places = ((-0.26, -0.12, 0.8), (0.3, -0.02, 0.62), (0.02, 0.24, 0.5))
    return "".join(boulder(random, (u + du * size, v + dv * size), size * s) for du, dv, s in places)


def heather(random: Random, at: Point, size: float) -> str:
    """A cushion of heather in flower."""
    parts = [dot((0.12, 0.16), 0.72, 0.5, fill=SHADE, opacity=0.4), dot((0, 0), 0.7, 0.5, fill="#4d5a2c")]
    colours = random.choice((("#8a4a86", "#b877b0", "#dfa9d6"), ("#9c4a6c", "#c9769a", "#eaaec6")))
    for colour, count in zip(colours, (26, 22, 14), strict=True):
        for _ in range(count):
            angle, reach = random.uniform(0, 2 * pi), random.uniform(0, 1) ** 0.6
            place = (0.66 * reach * cos(angle) - 0.05, 0.46 * reach * sin(angle) - 0.08)
            parts.append(dot(place, random.uniform(0.05, 0.085), fill=colour))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def cotton(random: Random, at: Point, size: float) -> str:
    """Cotton grass: white tufts on thin stems."""
    u, v = at
    parts = []
    for _ in range(random.randint(7, 11)):
        foot = (u + random.gauss(0, size * 0.36), v + random.gauss(0, size * 0.22) + size * 0.25)
        lean, length = random.uniform(-0.3, 0.35), size * random.uniform(0.4, 0.65)
        head = (foot[0] + length * sin(lean), foot[1] - length * cos(lean))
        parts.append(blade(foot, lean, length, "#5e7034", size * 0.05))
        parts.append(
            dot((head[0] + size * 0.03, head[1] + size * 0.04), size * 0.12, fill="#7e8a5c", opacity=0.6)
        )
        parts.append(dot(head, size * 0.12, size * 0.105, fill="#fdfdf4"))
    return mark("g", "".join(parts), stroke_linecap="round")


def log(random: Random, at: Point, size: float) -> str:
    """A fallen trunk with moss; about 1.8 units long."""
    body = (
        stroke("M-.8 .06L.82 .06", SHADE, 0.34, opacity=0.45, transform="translate(.06 .16)")
        + stroke("M.2 -.05L.42 -.46M-.34 .05L-.5 .4", "#5d4630", 0.11)
        + stroke("M-.8 0L.82 0", "#5d4630", 0.32)
        + stroke("M-.78 -.06L.8 -.06", "#8d7150", 0.15)
        + stroke("M-.6 -.12L-.1 -.12M.15 -.1L.6 -.1", "#b99c74", 0.05)
        + "".join(dot((random.uniform(-0.7, 0.7), -0.1), 0.12, 0.07, fill="#7f9a3e") for _ in range(4))
        + dot((0.84, 0), 0.12, 0.16, fill="#e0bd86", stroke="#5d4630", stroke_width=0.05)
        + dot((0.84, 0), 0.05, 0.07, fill="#b98e58")
    )
    return mark("g", body, transform=moved(at, random.uniform(-60, 60), size), stroke_linecap="round")


def fern(random: Random, at: Point, size: float) -> str:
    """A fern from above: fronds all round."""
    parts = [dot((0.1, 0.14), 0.75, 0.7, fill=SHADE, opacity=0.35)]
    dark, light = random.choice((("#3f6a2c", "#8db24e"), ("#6a6a22", "#c2b94c"), ("#7a4a1c", "#d18f3c")))
    count, turn = random.randint(7, 9), random.uniform(0, 360)
    for index in range(count):
        leaf = mark("path", d="M0 0Q.4 -.26 1 0Q.4 .26 0 0Z", fill=dark, stroke=SHADE, stroke_width=0.03)
        lit = mark("path", d="M.06 0Q.4 -.2 .94 0Z", fill=light)
        combed = stroke("M.3 -.14L.24 .13M.46 -.15L.4 .14M.62 -.12L.58 .1", SHADE, 0.03)
        frond = moved((0, 0), turn + 360 * index / count, (random.uniform(0.75, 1.0), 0.8))
        parts.append(mark("g", leaf + lit + combed, transform=frond))
    return mark("g", "".join(parts), transform=moved(at, 0, size), stroke_linecap="round")


def antler(random: Random, at: Point, size: float) -> str:
    """A shed antler."""
    data = "M-.7 .3Q-.1 .3 .3 -.05Q.6 -.3 .62 -.7M-.2 .22Q-.2 -.1 -.34 -.34"
    data += "M.16 .06Q.2 -.25 .06 -.5M.42 -.18Q.75 -.2 .86 -.4"
    body = (
        stroke(data, SHADE, 0.16, opacity=0.4, transform="translate(.06 .1)")
        + stroke(data, "#6d5434", 0.17)
        + stroke(data, "#f1e2bd", 0.1)
    )
    return mark("g", body, transform=moved(at, random.uniform(0, 360), size), stroke_linecap="round")


def berries(random: Random, at: Point, size: float) -> str:
    """A low bush with red leaves and berries."""
    parts = [dot((0.12, 0.18), 0.7, 0.5, fill=SHADE, opacity=0.4)]
    shades = random.choice((("#7c2a1c", "#b8442a", "#e0743c"), ("#4c6a24", "#6f8f34", "#a8bb58")))
    for _ in range(40):
        angle, reach = random.uniform(0, 2 * pi), random.uniform(0, 1) ** 0.6
        place = (0.64 * reach * cos(angle), 0.46 * reach * sin(angle) - 0.04)
        leaf = moved(place, random.uniform(0, 180))
        parts.append(dot((0, 0), 0.13, 0.07, fill=random.choice(shades), transform=leaf))
    for _ in range(7):
        place = (random.uniform(-0.45, 0.45), random.uniform(-0.35, 0.25))
        parts.append(dot(place, 0.055, fill="#27306e", stroke="#dfe4ff", stroke_width=0.018))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def flowers(random: Random, at: Point, size: float) -> str:
    """A few large blossoms."""
    petals, heart = random.choice(
        (("#fdfdf6", "#f0b429"), ("#f2c531", "#8a5a12"), ("#c26ad0", "#f6e7a0"), ("#6f86e0", "#f8f4d8"))
    )
    parts = []
    for _ in range(random.randint(4, 7)):
        u, v = at[0] + random.gauss(0, size * 0.34), at[1] + random.gauss(0, size * 0.28)
        parts.append(blade((u, v + size * 0.26), 0.0, size * 0.24, "#5f7434", size * 0.05))
        for index in range(5):
            angle = 2 * pi * index / 5
            place = (u + size * 0.095 * cos(angle), v + size * 0.095 * sin(angle))
            parts.append(dot(place, size * 0.075, fill=petals, stroke="#5a5a3a", stroke_width=size * 0.012))
        parts.append(dot((u, v), size * 0.06, fill=heart))
    return mark("g", "".join(parts), stroke_linecap="round")


def cairn(random: Random, at: Point, size: float) -> str:
    """Flat stones piled up by people who passed."""
    parts = [dot((0.22, 0.4), 0.7, 0.26, fill=SHADE, opacity=0.45)]
    height, wide = 0.4, 0.55
    for _ in range(4):
        fill, light = random.choice((("#8b8d88", "#c6c8c0"), ("#a0937f", "#d8ccb6"), ("#747b82", "#aab3b8")))
        shift = random.uniform(-0.07, 0.07)
        parts.append(dot((shift, height), wide, 0.17, fill=fill, stroke="#34362f", stroke_width=0.05))
        parts.append(dot((shift - 0.12 * wide, height - 0.06), wide * 0.6, 0.06, fill=light))
        height, wide = height - 0.24, wide * 0.8
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def sedge(random: Random, at: Point, size: float) -> str:
    """A tuft of tall grass."""
    return tuft(random, (at[0], at[1] + size * 0.4), size)


#: Radius of a thing around its place, in its own sizes.
REACH: dict[Drawer, float] = {
    boulder: 0.68, boulders: 0.85, heather: 0.78, cotton: 0.95, log: 1.05, fern: 0.95,
    antler: 0.95, berries: 0.75, flowers: 0.95, cairn: 0.85, sedge: 0.75,
}  # fmt: skip


def _wanted(random: Random) -> list[tuple[Drawer, float]]:
    """Scenery of a tile, largest first: some rarer things, some of middle size, many small ones."""
    rare: list[Drawer] = [boulder, boulders, heather, log, fern, antler, berries, cairn, cotton]
    random.shuffle(rare)
    sizes = ((0.1, 0.13), (0.085, 0.11), (0.07, 0.095), (0.06, 0.08), (0.055, 0.075))
    wanted = [(draw, random.uniform(*size)) for draw, size in zip(rare, sizes, strict=False)]
    middling: tuple[Drawer, ...] = (sedge, sedge, flowers, boulder, heather, cotton, fern, berries)
    wanted += [(random.choice(middling), random.uniform(0.045, 0.07)) for _ in range(9)]
    small: tuple[Drawer, ...] = (sedge, sedge, sedge, boulder, flowers)
    return wanted + [(random.choice(small), random.uniform(0.026, 0.042)) for _ in range(26)]


def scenery(layout: Layout, places: Places, seed: str) -> Plane:
    """Everything that lies about on a tile's grass, [SIZE, SIZE, 4]; southern things in front."""
    random = Random(f"scenery {seed}")
    free = room(layout.grass) - np.float32(0.012)
    taken = [(at, places.radius) for found in places.animals.values() for at in found]
    taken += [(at, places.radius) for at in places.powers.values()]
    placed: list[tuple[Point, float, str]] = []
    for draw, size in _wanted(random):
        reach = size * REACH[draw]
        for _ in range(70):
            at = (random.random(), random.random())
            if free[int(at[1] * GRAIN), int(at[0] * GRAIN)] < reach:
                continue
            if any(distance(at, other) < reach + far for other, far in taken):
                continue
            taken.append((at, reach))
            placed.append((at, reach, draw(random, at, size)))
            break
    return svg("".join(text for _, _, text in sorted(placed, key=lambda thing: thing[0][1])))
