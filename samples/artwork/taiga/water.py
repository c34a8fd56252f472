"""Rivers and lakes: glacial water with stone banks, shallows, the current's lines, reeds and ripples."""

from math import cos, pi, sin
from random import Random

import cv2
import numpy as np

from samples.artwork.geometry import Line, Point, distance, walk
from samples.artwork.ground import blade
from samples.artwork.raster import (
    SIZE,
    Plane,
    calm,
    distance_field,
    fractal,
    grid,
    inside_field,
    mixed,
    noise,
    over,
    rgb,
    smoothstep,
    svg,
)
from samples.artwork.svg_marks import curve, dot, mark, moved, polygon, stroke
from samples.artwork.taiga.layouts import RIVER_HALF, Layout
from samples.artwork.taiga.places import Places

EARTH, SAND, PALE = rgb("#6b6a4a"), rgb("#cfc4a0"), rgb("#efe8cc")
SHALLOW, MIDDLE, DEEP, ABYSS = rgb("#a5e0d6"), rgb("#54b3c4"), rgb("#2b86ad"), rgb("#1c6290")
STONES = (("#8b8a84", "#c4c3bb"), ("#9c9385", "#d3cab8"), ("#77797c", "#b2b5b6"), ("#a39a90", "#dcd4c8"))
#: Extra width of a river where a fish swims, and its length along the river, in tile sides.
POOL, POOL_LONG = 0.022, 0.075


def paint_water(picture: Plane, layout: Layout, places: Places, seed: str) -> Plane:
    """Lays a tile's rivers and lakes over its meadow; at the tile's edge width and colour never change."""
    if not layout.rivers:
        return picture
    random = np.random.default_rng(list(f"water {seed}".encode()))
    middle = calm(0.1)
    field = water_field(layout, places)
    wobble = (0.007 * fractal(random, 7, 3) + 0.002 * noise(random, 60)) * middle
    field = np.asarray(field + wobble, np.float32)
    picture = mixed(picture, EARTH, 0.62 * smoothstep(0.03, 0.004, field))
    bank = np.broadcast_to(SAND, (SIZE, SIZE, 3)).astype(np.float32)
    bank = mixed(bank, PALE, np.clip(noise(random, 55), 0, 1))
    bank *= 1 + (0.09 * noise(random, 90) + 0.05 * random.standard_normal((SIZE, SIZE)))[..., None]
    picture = mixed(picture, bank.astype(np.float32), smoothstep(0.017, 0.008, field))
    water = np.broadcast_to(SHALLOW, (SIZE, SIZE, 3)).astype(np.float32)
    mottled = (0.006 * noise(random, 20) * middle).astype(np.float32)
    water = mixed(water, MIDDLE, smoothstep(-0.006, -0.026, field + mottled))
    water = mixed(water, DEEP, smoothstep(-0.022, -0.056, field + mottled))
    water = mixed(water, ABYSS, smoothstep(-0.07, -0.17, field) * 0.9)
    swell = noise(random, (34, 60)) * 0.6 + noise(random, (16, 30)) * 0.4
    water = np.clip(water * (1 + 0.045 * swell[..., None]), 0, 1).astype(np.float32)
    shade = np.roll(np.roll(field, 7, 0), 5, 1)  # the bank's shadow falls to the south-east
    water = mixed(
        water, rgb("#0e3f56"), 0.34 * smoothstep(-0.03, 0.004, shade) * smoothstep(0.0, -0.01, field)
    )
    picture = mixed(picture, water, smoothstep(0.0035, -0.0035, field))
    picture = mixed(picture, rgb("#f2fbf4"), 0.75 * smoothstep(0.0045, 0.0, np.abs(field + 0.004)) * middle)
    return over(picture, svg(_currents(layout, places, field, Random(f"currents {seed}"))))


def water_field(layout: Layout, places: Places) -> Plane:
    """Signed distance of each pixel from the water's edge, in tile sides, negative in the water."""
    u, v = grid()
    half = np.full((SIZE, SIZE), RIVER_HALF, np.float32)
    for name in layout.rivers:
        for at in places.fish.get(name, []):
            half += POOL * np.exp(-((u - at[0]) ** 2 + (v - at[1]) ** 2) / POOL_LONG**2).astype(np.float32)
    field = np.full((SIZE, SIZE), 9.0, np.float32)
    for path in layout.rivers.values():
        field = np.minimum(field, distance_field(path) - half)
    for line in layout.lakes.values():
        field = _merged(field, _signed(line), 0.035)
    return field


def _signed(line: Line) -> Plane:
    """Signed distance from a closed line, negative inside."""
    mask = (inside_field(line) > 0.5).astype(np.uint8)
    out = cv2.distanceTransform(1 - mask, cv2.DIST_L2, 5) - cv2.distanceTransform(mask, cv2.DIST_L2, 5)
    return np.asarray(out / SIZE, np.float32)


def _merged(a: Plane, b: Plane, soft: float) -> Plane:
    """The union of two fields with a rounded corner between them."""
    share = np.clip(0.5 + 0.5 * (a - b) / soft, 0, 1)
    return np.asarray(a * (1 - share) + b * share - soft * share * (1 - share), np.float32)


def _currents(layout: Layout, places: Places, field: Plane, random: Random) -> str:
    """Lines of the current, foam, stones at the banks, and ripples, reeds and lilies on lakes."""
    parts: list[str] = []
    for path in layout.rivers.values():
        parts += _lines(path, random)
        parts += _banks(path, field, random)
    for name, line in layout.lakes.items():
        parts += _ripples(line, random)
        taken = [*places.fish.get(name, []), *places.huts.values(), *places.powers.values()]
        parts += _shore(layout, line, taken, random)
    return "".join(parts)


def _lines(path: Line, random: Random) -> list[str]:
    parts = []
    steps = walk(path, 0.012)
    for _ in range(max(6, len(steps) // 3)):
        start, length = random.randrange(2, max(3, len(steps) - 8)), random.randint(3, 7)
        side = random.uniform(-0.038, 0.038)
        part = steps[start : start + length]
        if len(part) < 3 or min(min(*p, 1 - p[0], 1 - p[1]) for p, _ in part) < 0.03:
            continue
        points = [(u - dv * side, v + du * side) for (u, v), (du, dv) in part]
        data = "M" + "L".join(f"{u:.4f} {v:.4f}" for u, v in points)
        colour = random.choice(("#e6fbff", "#c9f1f2", "#ffffff", "#17618c"))
        parts.append(
            stroke(
                data,
                colour,
                random.uniform(0.002, 0.0042),
                opacity=random.uniform(0.3, 0.65),
                stroke_linecap="round",
            )
        )
    return parts


def _banks(path: Line, field: Plane, random: Random) -> list[str]:
    parts = []
    for (u, v), (du, dv) in walk(path, 0.021):
        for side in (-1, 1):
            away = side * (RIVER_HALF + random.uniform(0.001, 0.024))
            at = (u - dv * away, v + du * away)
            row, column = (min(SIZE - 1, max(0, int(axis * SIZE))) for axis in (at[1], at[0]))
            if random.random() < 0.3 or not -0.004 < field[row, column] < 0.02:
                continue
            parts.append(stone(random, at, random.uniform(0.004, 0.0095)))
    return parts


def stone(random: Random, at: Point, radius: float) -> str:
    """A pebble lit from the north-west."""
    dark, light = random.choice(STONES)
    turn, flat = random.uniform(0, 180), random.uniform(0.62, 0.9)
    body = (
        dot((0.25, 0.35), 1.08, flat * 1.05, fill="#26301f", opacity=0.4)
        + dot((0, 0), 1, flat, fill=dark, stroke="#3f4038", stroke_width=0.16)
        + dot((-0.22, -0.22 * flat), 0.55, 0.42 * flat, fill=light)
    )
    return mark("g", body, transform=moved(at, turn * 0.15, radius))


def _ripples(line: Line, random: Random) -> list[str]:
    centre = (sum(u for u, _ in line) / len(line), sum(v for _, v in line) / len(line))
    parts = []
    for _ in range(9):
        share, place = random.uniform(0.15, 0.72), random.choice(line)
        at = (centre[0] + (place[0] - centre[0]) * share, centre[1] + (place[1] - centre[1]) * share)
        wide = random.uniform(0.014, 0.034)
        bow = curve((at[0] - wide, at[1]), (at[0], at[1] - wide * 0.4), (at[0] + wide, at[1]))
        parts.append(stroke(bow, "#dff7fb", 0.0036, opacity=0.55, stroke_linecap="round"))
    return parts


def _shore(layout: Layout, line: Line, taken: list[Point], random: Random) -> list[str]:
    """Clumps of reeds and lilies at a lake's border, clear of rivers and of what is to be counted."""
    centre = (sum(u for u, _ in line) / len(line), sum(v for _, v in line) / len(line))
    clear = [point for path in layout.rivers.values() for point in path[::3]]
    parts: list[str] = []
    for _ in range(random.randint(3, 5)):
        for _ in range(30):
            place = random.choice(line)
            if all(distance(place, other) > 0.11 for other in clear):
                clear.append(place)
                parts.append(_reeds(place, random))
                break
    for _ in range(random.randint(2, 5)):
        for _ in range(30):
            place = random.choice(line)
            at = (centre[0] + (place[0] - centre[0]) * 0.82, centre[1] + (place[1] - centre[1]) * 0.82)
            if all(distance(at, other) > 0.095 for other in (*clear, *taken)):
                taken = [*taken, at]
                parts.append(_lily(at, random))
                break
    return parts


def _reeds(at: Point, random: Random) -> str:
    parts = []
    for _ in range(11):
        foot = (at[0] + random.gauss(0, 0.016), at[1] + random.gauss(0, 0.01))
        lean, length = random.gauss(0.05, 0.3), random.uniform(0.03, 0.055)
        shade = random.choice(("#4d6a2c", "#74873a", "#a9a750"))
        parts.append((foot[1], blade(foot, lean, length, shade, 0.0042)))
        if random.random() < 0.4:
            head = (foot[0] + length * sin(lean), foot[1] - length * cos(lean))
            parts.append((foot[1], dot(head, 0.0042, 0.0095, fill="#6b4023")))
    return mark("g", "".join(text for _, text in sorted(parts)), stroke_linecap="round")


def _lily(at: Point, random: Random) -> str:
    parts = []
    for _ in range(random.randint(2, 4)):
        turn, radius = random.uniform(0, 360), random.uniform(0.011, 0.017)
        place = (at[0] + random.gauss(0, 0.015), at[1] + random.gauss(0, 0.012))
        rim = [(cos(a), 0.8 * sin(a)) for a in (0.3 + (2 * pi - 0.6) * i / 14 for i in range(15))]
        pad = mark("path", d=polygon([(0.0, 0.0), *rim]), fill="#5f9a4e", stroke="#2a5a34", stroke_width=0.12)
        parts.append(mark("g", pad, transform=moved(place, turn, radius)))
    if random.random() < 0.6:
        parts.append(dot(at, 0.0085, fill="#fff3f6") + dot(at, 0.0036, fill="#f2c84a"))
    return "".join(parts)
