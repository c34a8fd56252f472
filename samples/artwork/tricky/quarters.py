"""Quarters of the board: five by five squares of savanna, forest and lake each.

Quarters are used in any turn and order, so that each corner square is ground (a camera may start there) and
no quarter looks like another one, or like itself turned.
"""

from collections.abc import Mapping
from math import cos, pi, sin
from random import Random

import numpy as np

from samples.artwork.geometry import Point
from samples.artwork.ground import ground
from samples.artwork.raster import Plane, over, svg
from samples.artwork.savanna.bush import BLOSSOMS, FAMILIES, clump
from samples.artwork.savanna.things import flowers, log, mound, rock, rocks, shrub, tuft
from samples.artwork.svg_marks import curve, dot, mark, moved, stroke
from samples.artwork.tricky.tokens import FIELDS

SQUARES = 5
SQUARE_MM, TOKEN_MM = 40, 32
#: Pixels of a quarter's side.
SIZE = 1280
#: Squares of each quarter, north row first; ``.`` ground, ``F`` forest, ``L`` lake.
QUARTERS: Mapping[str, tuple[str, ...]] = {
    "TQ1": (".F...", "..L..", "F..L.", "....F", "..F.."),
    "TQ2": ("...F.", ".FF..", ".....", "L..L.", ".L..."),
    "TQ3": ("..L..", ".L...", "...F.", ".F..F", "....."),
    "TQ4": (".....", ".F.L.", "L..L.", "F....", "..FF."),
}
#: Water from the shore inwards: reach, colour.
WATER = ((1.0, "#8a6a35"), (0.93, "#d9c48a"), (0.84, "#2f86a8"), (0.64, "#4aa7c4"), (0.4, "#6fc0d6"))
_THINGS = (tuft, tuft, rock, rocks, shrub, mound, flowers, flowers, log)


def pack() -> dict[str, object]:
    """The value of ``pack.json`` (docs/formats.md, 'Pack')."""
    return {
        "tilesight": 1,
        "id": "tricky-safari",
        "game": "tricky-safari",
        "title": "Waterhole Country, the house edition of Tricky Safari",
        "tile_mm": SQUARES * SQUARE_MM,
        "art_license": "Apache-2.0, drawn by samples.artwork; the animals are from Microsoft's "
        "Fluent Emoji (flat), MIT licence, see CREDITS.md",
        "quarters": [{"id": name, "squares": list(rows)} for name, rows in QUARTERS.items()],
        "animals": list(FIELDS),
        "tokens": {"mm": TOKEN_MM},
    }


def quarter(name: str) -> Plane:
    """The face of a quarter, RGB [SIZE, SIZE, 3], its own north up; the same picture every time."""
    rows = QUARTERS[name]
    bare = ground(name)
    picture = np.repeat(np.repeat(bare, SIZE // bare.shape[0], axis=0), SIZE // bare.shape[1], axis=1)
    picture = over(picture, svg(_ground_things(rows, Random(f"things {name}")), SIZE))
    picture = over(picture, svg(_grid(), SIZE))
    random = Random(f"terrain {name}")
    places = [(x, y, rows[y][x]) for y in range(SQUARES) for x in range(SQUARES)]
    lakes = "".join(_lake(random, _middle(x, y)) for x, y, kind in places if kind == "L")
    forests = "".join(_forest(random, _middle(x, y)) for x, y, kind in places if kind == "F")
    return np.clip(over(picture, svg(lakes + forests, SIZE)), 0, 1).astype(np.float32)


def _middle(x: int, y: int) -> Point:
    return ((x + 0.5) / SQUARES, (y + 0.5) / SQUARES)


def _grid() -> str:
    """Borders of the squares: short pale dashes with a dark edge, bolder at the crossings."""
    parts = []
    for i in range(1, SQUARES):
        at = i / SQUARES
        for data in (curve((0, at), (1, at)), curve((at, 0), (at, 1))):
            for colour, width, strength in (("#5a4420", 0.0042, 0.55), ("#fff3cf", 0.0022, 0.9)):
                parts.append(stroke(data, colour, width, opacity=strength, stroke_dasharray="0.02 0.02"))
    for i in range(SQUARES + 1):
        for j in range(SQUARES + 1):
            crossing = (i / SQUARES, j / SQUARES)
            parts.append(dot(crossing, 0.0062, fill="#5a4420", opacity=0.75))
            parts.append(dot(crossing, 0.0034, fill="#fff3cf"))
    return "".join(parts)


def _ground_things(rows: tuple[str, ...], random: Random) -> str:
    """Scenery of the bare squares: small, so that an animal or a camera stands well on it."""
    parts = []
    for y in range(SQUARES):
        for x in range(SQUARES):
            if rows[y][x] != ".":
                continue
            for _ in range(random.choice((2, 3, 3))):
                u = (x + random.uniform(0.18, 0.82)) / SQUARES
                v = (y + random.uniform(0.18, 0.82)) / SQUARES
                thing = random.choice(_THINGS)
                parts.append(thing(random, (u, v), random.uniform(0.013, 0.024)))
    return "".join(parts)


def _blob(random: Random, at: Point, reach: float, lobes: int = 9) -> list[Point]:
    """A closed soft outline about a point, for a quadratic path: corner, bend, corner, …"""
    turn = random.uniform(0, 2 * pi)
    radii = [reach * random.uniform(0.86, 1.0) for _ in range(lobes)]
    corners = [
        (at[0] + r * cos(turn + 2 * pi * i / lobes), at[1] + r * sin(turn + 2 * pi * i / lobes))
        for i, r in enumerate(radii)
    ]
    middles = [
        ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    points = [middles[-1]]
    for corner, middle in zip(corners, middles, strict=True):
        points += [corner, middle]
    return points


def _lake(random: Random, at: Point) -> str:
    outline = _blob(random, (0, 0), 0.092)
    rings = "".join(
        mark("path", d=curve(*outline) + "Z", fill=colour, transform=moved((0, 0), 0, scale))
        for scale, colour in WATER
    )
    waves = []
    for _ in range(5):
        u, v, half = random.gauss(0, 0.026), random.gauss(0, 0.026), random.uniform(0.008, 0.014)
        wave = curve(
            (u - half, v), (u - half / 2, v - 0.006), (u, v), (u + half / 2, v + 0.006), (u + half, v)
        )
        waves.append(stroke(wave, "#d8f2f6", 0.0022, opacity=0.85, stroke_linecap="round"))
    reeds = []
    for _ in range(random.randint(2, 4)):
        angle = random.uniform(0, 2 * pi)
        foot = (0.078 * cos(angle), 0.078 * sin(angle))
        reeds.append(tuft(random, foot, 0.026))
    return mark("g", rings + "".join(waves + reeds), transform=moved(at))


def _forest(random: Random, at: Point) -> str:
    family = random.choice(FAMILIES)
    parts = [dot((at[0] + 0.006, at[1] + 0.01), 0.086, fill="#2a2410", opacity=0.45)]
    trees = [
        (at[0] + reach * cos(turn), at[1] + reach * sin(turn), size)
        for reach, count, size in ((0.056, 8, 0.031), (0.026, 4, 0.035), (0.0, 1, 0.034))
        for turn in (2 * pi * i / count + random.uniform(-0.2, 0.2) for i in range(count))
    ]
    for u, v, size in sorted(trees, key=lambda tree: tree[1]):
        shades = random.choice((family, family, *FAMILIES))
        parts.append(clump(random, (u, v), size * random.uniform(0.88, 1.08), shades))
    petals, heart = random.choice(BLOSSOMS)
    for _ in range(random.randint(3, 7)):
        place = (at[0] + random.gauss(0, 0.03), at[1] + random.gauss(0, 0.03))
        parts.append(dot(place, 0.0055, fill=petals, stroke="#1d3a1c", stroke_width=0.001))
        parts.append(dot(place, 0.002, fill=heart))
    return "".join(parts)
