"""Open land: grass, crops in plots, trees, sheep and haystacks; nothing of it counts in the game."""

from collections.abc import Callable
from itertools import pairwise
from math import cos, pi, sin
from random import Random
from typing import TypeAlias

import numpy as np

from samples.artwork.bastide.plans import Plan
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
from samples.artwork.svg_marks import dot, mark, moved, polygon, stroke
from samples.artwork.taiga.layouts import GRAIN, room
from samples.artwork.taiga.meadow import boulder, flowers, sedge

SWARD = rgb("#9fc04f")
#: Colours of patches and bumps across.
PATCHES = (
    (rgb("#7fae3c"), 2), (rgb("#c9d467"), 2), (rgb("#5f9a3f"), 3), (rgb("#b9c95a"), 3), (rgb("#88b567"), 2),
)  # fmt: skip
BLADES = ("#6d9a34", "#8db544", "#c3d468", "#557f2d", "#a8c858", "#dfe58c")
SHADE = "#243a16"
#: Leaves of trees: dark, middle, light.
LEAVES = (
    ("#23521f", "#3c7a2b", "#79b548"), ("#2c5a1c", "#4f8a2a", "#97c24c"), ("#1d4d33", "#2f7550", "#69ad7c"),
    ("#4d5a16", "#7c8a22", "#bcc14c"),
)  # fmt: skip
BLOSSOM = ("#8a3f62", "#d57fa6", "#fbd3e2")
#: Crops: soil, rows, highlight of the rows, distance of two rows in tile sides.
CROPS: dict[str, tuple[str, str, str, float]] = {
    "wheat": ("#d9ac3c", "#f0cf62", "#fbeaa0", 0.017),
    "lavender": ("#8a7a52", "#6a4fa8", "#a98ce0", 0.03),
    "vines": ("#a9834f", "#3f6f2a", "#7fae48", 0.036),
    "ploughed": ("#7a5230", "#96693f", "#b98b5c", 0.02),
    "rape": ("#c8b420", "#f2dc2c", "#fff59a", 0.02),
    "cabbage": ("#6b5634", "#5fa08a", "#b4dcc4", 0.034),
}
Drawer: TypeAlias = Callable[[Random, Point, float], str]


def land(seed: str) -> Plane:
    """Grass all over a tile, RGB [SIZE, SIZE, 3]; at the border always of one mean colour."""
    random = np.random.default_rng(list(f"land {seed}".encode()))
    middle = calm(0.15)
    picture = np.broadcast_to(SWARD, (SIZE, SIZE, 3)).astype(np.float32)
    for colour, cells in PATCHES:
        patch = smoothstep(0.0, 0.8, fractal(random, cells)) * np.float32(random.uniform(0.2, 0.85))
        picture = mixed(picture, colour, patch * (0.1 + 0.9 * middle))
    bumps = noise(random, 13) + 0.6 * noise(random, 27)
    picture *= 1 + 0.08 * (bumps - np.roll(np.roll(bumps, 5, 0), 4, 1))[..., None]
    strokes = noise(random, (40, 110)) * 0.5 + noise(random, (75, 190)) * 0.5
    picture *= 1 + 0.06 * strokes[..., None]
    picture *= 1 + 0.016 * random.standard_normal((SIZE, SIZE, 1)).astype(np.float32)
    draw = Random(f"grass {seed}")
    blades = [
        blade((draw.random(), draw.random()), draw.gauss(-0.1, 0.4), draw.uniform(0.01, 0.026),
              draw.choice(BLADES), draw.uniform(0.002, 0.0034))
        for _ in range(430)
    ]  # fmt: skip
    grass = mark("g", "".join(blades), opacity=0.55, stroke_linecap="round")
    return over(np.asarray(np.clip(picture, 0, 1), np.float32), svg(grass))


def plot(random: Random, at: Point, size: float, crop: str) -> str:
    """A plot of a crop with a hedge or a balk around it; `size` is half its longer side."""
    soil, row, light, apart = CROPS[crop]
    long, wide = 1.0, random.uniform(0.66, 0.86)
    corners = [(-long, -wide), (long, -wide), (long, wide), (-long, wide)]
    border = [
        (u * size * random.uniform(0.88, 1.08), v * size * random.uniform(0.88, 1.08)) for u, v in corners
    ]
    name = f"plot{round(at[0] * 1000)}-{round(at[1] * 1000)}"
    parts = [mark("path", d=polygon(border), fill=soil)]
    v = -wide * size * 1.1
    while v < wide * size * 1.1:
        data = f"M{-1.1 * size:.4f} {v:.4f}L{1.1 * size:.4f} {v:.4f}"
        parts.append(stroke(data, SHADE, apart * 0.6, opacity=0.35, transform=moved((0.003, 0.005))))
        dashed = {"stroke_dasharray": f"{apart * 0.5:.4f} {apart * 0.32:.4f}"} if apart > 0.03 else {}
        parts.append(stroke(data, row, apart * 0.62, **dashed))
        parts.append(stroke(data, light, apart * 0.2, **dashed, transform=moved((-0.001, -apart * 0.14))))
        v += apart
    clip = f'<clipPath id="{name}">{mark("path", d=polygon(border))}</clipPath>'
    inside = mark("g", "".join(parts), clip_path=f"url(#{name})")
    balk = stroke(polygon(border), "#5d7a2c", 0.011, stroke_linejoin="round")
    shadow = mark("path", d=polygon(border), fill=SHADE, opacity=0.3, transform=moved((0.006, 0.008)))
    hedge = "".join(
        dot((a[0] + (b[0] - a[0]) * i / 7, a[1] + (b[1] - a[1]) * i / 7), random.uniform(0.008, 0.013),
            fill=random.choice(("#3c6d2a", "#4f8433", "#2f5a24")))
        for a, b in pairwise(border[:3]) for i in range(8)
    )  # fmt: skip
    return mark("g", clip + shadow + inside + balk + hedge, transform=moved(at, random.uniform(-40, 40)))


def tree(random: Random, at: Point, size: float, leaves: tuple[str, str, str] | None = None) -> str:
    """A broad-leaved tree from above, lit from the north-west."""
    dark, middle, light = leaves or random.choice(LEAVES)
    parts = [dot((0.3, 0.38), 0.98, 0.9, fill=SHADE, opacity=0.45)]
    for fill, reach, count, radius, shift in (
        (dark, 0.72, 11, 0.34, 0.0), (middle, 0.52, 9, 0.3, -0.08), (light, 0.3, 6, 0.2, -0.2),
    ):  # fmt: skip
        turn = random.uniform(0, 2 * pi)
        parts.append(dot((shift, shift), reach + 0.1, fill=fill))
        for index in range(count):
            angle = turn + 2 * pi * index / count
            place = (shift + reach * cos(angle), shift + reach * sin(angle))
            parts.append(dot(place, radius * random.uniform(0.8, 1.15), fill=fill))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def blooming(random: Random, at: Point, size: float) -> str:
    """A fruit tree in blossom."""
    return tree(random, at, size, BLOSSOM)


def cypress(random: Random, at: Point, size: float) -> str:
    """Three cypresses in a row, seen a little from the side."""
    parts = []
    for u in (-0.6, 0.0, 0.6):
        tall = random.uniform(0.85, 1.1)
        parts.append(dot((u + 0.2, 0.5), 0.34, 0.16, fill=SHADE, opacity=0.5))
        body = f"M{u} {0.55}Q{u - 0.3} {0.1} {u} {-tall}Q{u + 0.3} {0.1} {u} {0.55}Z"
        parts.append(mark("path", d=body, fill="#1e4a2c", stroke="#12301c", stroke_width=0.05))
        lit = f"M{u - 0.05} {0.4}Q{u - 0.2} {0.05} {u - 0.02} {-tall + 0.2}Q{u} {0.1} {u - 0.05} {0.4}Z"
        parts.append(mark("path", d=lit, fill="#4d8a4e"))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def haystacks(random: Random, at: Point, size: float) -> str:
    """Two or three haystacks."""
    parts = []
    for du, dv in ((-0.45, -0.15), (0.4, -0.25), (0.05, 0.35))[: random.choice((2, 3))]:
        body = dot((0.16, 0.2), 0.42, 0.34, fill=SHADE, opacity=0.45)
        body += dot((0, 0), 0.4, 0.34, fill="#c99a35", stroke="#7a5716", stroke_width=0.06)
        body += dot((-0.06, -0.07), 0.27, 0.22, fill="#e8c356") + dot(
            (-0.09, -0.1), 0.12, 0.1, fill="#fae89c"
        )
        spokes = "".join(
            stroke(f"M0 0L{0.38 * cos(a):.3f} {0.32 * sin(a):.3f}", "#8d671c", 0.03, opacity=0.7)
            for a in (pi * k / 5 + 0.2 for k in range(10))
        )
        parts.append(mark("g", body + spokes, transform=moved((du, dv))))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def sheep(random: Random, at: Point, size: float) -> str:
    """A small flock, some of it black."""
    parts = []
    for index in range(random.randint(4, 6)):
        angle, reach = 2 * pi * index / 5 + random.uniform(-0.3, 0.3), random.uniform(0.4, 0.75)
        wool, edge = random.choice((("#fbf7ea", "#b5aa8e"),) * 3 + (("#4a4038", "#241d18"),))
        fleece = dot((0.1, 0.14), 0.3, 0.2, fill=SHADE, opacity=0.45)
        fleece += "".join(
            dot((0.16 * cos(a), 0.1 * sin(a)), 0.15, fill=wool, stroke=edge, stroke_width=0.03)
            for a in (2 * pi * k / 6 for k in range(6))
        )
        fleece += dot((0, 0), 0.19, 0.14, fill=wool) + dot((0.29, 0.0), 0.085, 0.07, fill="#3a2f28")
        place = moved((reach * cos(angle), reach * 0.8 * sin(angle)), random.choice((0, 20, 160, 190)))
        parts.append(mark("g", fleece, transform=place))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def windmill(random: Random, at: Point, size: float) -> str:
    """A windmill from above with its four sails."""
    turn = random.uniform(15, 75)
    body = dot((0.18, 0.24), 0.46, 0.42, fill=SHADE, opacity=0.5)
    body += dot((0, 0), 0.42, fill="#efe4c8", stroke="#6f6248", stroke_width=0.06)
    body += dot((0, 0), 0.3, fill="#8d4a2c", stroke="#4e2413", stroke_width=0.05)
    body += dot((-0.07, -0.08), 0.15, fill="#c1764a")
    sail = mark("path", d="M.1 -.05H.98V-.26H.22Z", fill="#fbf3dc", stroke="#5a4630", stroke_width=0.04)
    sail += stroke("M0 0H1.02", "#4a3420", 0.07) + stroke(
        "M.36 -.05V-.24M.56 -.05V-.25M.76 -.05V-.25", "#8a7350", 0.03
    )
    sails = "".join(mark("g", sail, transform=moved((0, 0), turn + 90 * i)) for i in range(4))
    return mark("g", body + sails + dot((0, 0), 0.09, fill="#3b2a1a"), transform=moved(at, 0, size))


def barn(random: Random, at: Point, size: float) -> str:
    """A farmhouse with its yard and a barn."""
    roof = random.choice((("#b0552f", "#d67a48"), ("#a5793a", "#d0a75c")))

    def house(u: float, v: float, a: float, b: float) -> str:
        box = {"x": u - a, "y": v - b, "width": 2 * a}
        return (
            mark("rect", x=u - a + 0.1, y=v - b + 0.14, width=2 * a, height=2 * b, fill=SHADE, opacity=0.45)
            + mark("rect", **box, height=2 * b, fill=roof[0], stroke="#4a2414", stroke_width=0.05)
            + mark("rect", **box, height=b, fill=roof[1])
            + stroke(f"M{u - a} {v}H{u + a}", "#f3d3a4", 0.035)
        )

    yard = dot((0.05, 0.1), 0.95, 0.72, fill="#d8c394", opacity=0.85)
    parts = yard + house(-0.2, -0.3, 0.52, 0.26) + house(0.48, 0.3, 0.26, 0.24)
    parts += dot((-0.3, 0.36), 0.13, fill="#7fb6cf", stroke="#6b6b5c", stroke_width=0.07)
    return mark("g", parts, transform=moved(at, random.uniform(-30, 30), size))


#: Radius of a thing around its place, in its own sizes.
REACH: dict[Drawer, float] = {
    tree: 1.15, blooming: 1.15, cypress: 1.05, haystacks: 0.95, sheep: 1.0, windmill: 1.05, barn: 1.1,
    boulder: 0.68, flowers: 0.9, sedge: 0.75,
}  # fmt: skip
#: What leads on the river's tiles that are alike but for their art.
LEADS: dict[str, tuple[Drawer, str]] = {
    "BR-D": (windmill, "wheat"),
    "BR-F": (sheep, "lavender"),
    "BR-G": (barn, "vines"),
    "BR-J": (haystacks, "rape"),
}


def _wanted(random: Random, tile: str) -> list[tuple[Drawer, float]]:
    """Scenery of a tile, largest first."""
    rare: list[Drawer] = [windmill, barn, haystacks, sheep, cypress, blooming]
    random.shuffle(rare)
    if tile in LEADS:
        rare = [LEADS[tile][0], *(draw for draw in rare if draw not in [lead for lead, _ in LEADS.values()])]
    wanted = [(draw, random.uniform(0.085, 0.1)) for draw in rare[:2]] + [(rare[2], 0.065), (rare[0], 0.06)]
    middling: tuple[Drawer, ...] = (tree, tree, tree, blooming, cypress, sheep)
    wanted += [(random.choice(middling), random.uniform(0.036, 0.052)) for _ in range(9)]
    small: tuple[Drawer, ...] = (tree, sedge, flowers, flowers, boulder, tree)
    return wanted + [(random.choice(small), random.uniform(0.022, 0.034)) for _ in range(26)]


def scenery(plan: Plan) -> Plane:
    """Crops and everything that stands on a tile's open land, [SIZE, SIZE, 4]; southern things in front."""
    random = Random(f"scenery {plan.id}")
    free = room(plan.grass) - np.float32(0.01)
    taken: list[tuple[Point, float]] = []
    placed: list[tuple[float, str]] = []
    crops = list(CROPS)
    random.shuffle(crops)
    if plan.id in LEADS:
        crops.insert(0, LEADS[plan.id][1])
    for crop in crops[:3]:
        size = random.uniform(0.085, 0.14)
        at = _place(random, free, size * 1.12, taken)
        if at is not None:
            placed.append((-1.0, plot(random, at, size, crop)))
    for draw, size in _wanted(random, plan.id):
        at = _place(random, free, size * REACH[draw], taken)
        if at is not None:
            placed.append((at[1], draw(random, at, size)))
    return svg("".join(text for _, text in sorted(placed, key=lambda thing: thing[0])))


def _place(random: Random, free: Plane, reach: float, taken: list[tuple[Point, float]]) -> Point | None:
    """Room for a thing of that reach clear of those that are `taken`, to which it is added; None without."""
    for _ in range(90):
        at = (random.random(), random.random())
        if free[int(at[1] * GRAIN), int(at[0] * GRAIN)] < reach:
            continue
        if all(distance(at, other) > reach + far for other, far in taken):
            taken.append((at, reach))
            return at
    return None
