"""Backs of Savanna, and helpers that other decks share: alike on all four sides, so that none tells a turn.

Each is drawn once as a quarter and turned three times about the middle; `drawn` makes the ground alike too.
"""

from math import cos, pi, sin
from random import Random

import numpy as np

from samples.artwork.geometry import Point
from samples.artwork.raster import SIZE, Plane, fractal, mixed, noise, over, rgb, svg
from samples.artwork.savanna.bush import FAMILIES, clump
from samples.artwork.savanna.faces import WATER
from samples.artwork.svg_marks import dot, mark, moved, polar, polygon, stroke

MIDDLE: Point = (0.5, 0.5)
CLAY, RUST, UMBER = "#b4592c", "#8f3f1d", "#3b1d10"
CREAM, SUN, AMBER = "#fbeccb", "#ffd36b", "#f09a32"


def four(body: str) -> str:
    """A drawing about the origin, turned onto all four sides of the tile."""
    return "".join(mark("g", body, transform=moved(MIDDLE, 90.0 * i)) for i in range(4))


def drawn(ground: Plane, body: str, defs: str = "") -> Plane:
    """A back, RGB [SIZE, SIZE, 3]: a ground with an SVG body over it, exactly the same when it is turned."""
    picture = over(alike(ground), svg(body, defs=defs))
    return np.asarray(np.clip(_turned_mean(picture), 0, 1), np.float32)


def alike(ground: Plane) -> Plane:
    """A ground that looks the same on all four sides and is as lively as before: what differs from its mean
    colour is averaged over four turns, which halves it, and doubled."""
    mean = ground.mean(axis=(0, 1))
    return np.asarray(np.clip(mean + 2 * (_turned_mean(ground) - mean), 0, 1), np.float32)


def _turned_mean(picture: Plane) -> Plane:
    return np.asarray(np.mean([np.rot90(picture, turns) for turns in range(4)], axis=0), np.float32)


def mottled(seed: str, base: str, *patches: tuple[str, int, float]) -> Plane:
    """A plain ground with soft patches (colour, bumps across, strength) and a fine grain."""
    random = np.random.default_rng(list(seed.encode()))
    picture = np.broadcast_to(rgb(base), (SIZE, SIZE, 3)).astype(np.float32)
    for colour, cells, strength in patches:
        picture = mixed(picture, rgb(colour), np.clip(fractal(random, cells), 0, 1) * strength)
    grain = 1 + 0.05 * noise(random, 150) + 0.02 * random.standard_normal((SIZE, SIZE)).astype(np.float32)
    return np.asarray(picture * grain[..., None], np.float32)


def ring(count: int, radius: float, body: str, turn: float = 0.0) -> str:
    """A drawing about the origin set `count` times around it, its up pointing outwards."""
    places = [(360 / count) * i + turn for i in range(count)]
    at = [polar(radius, (angle - 90) * pi / 180) for angle in places]
    return "".join(mark("g", body, transform=moved(p, angle)) for p, angle in zip(at, places, strict=True))


def savanna_tile() -> Plane:
    """A land tile of Savanna: a sun over clay, an acacia's crown in it, a lion's tracks around it, a zebra's
    stripes in the corners."""
    ground = mottled("savanna back", CLAY, (RUST, 3, 0.8), ("#d0793c", 4, 0.5), ("#6d2e17", 6, 0.5))
    return drawn(ground, four(_stripes() + _border()) + _sun() + _tracks() + _crown())


def _border() -> str:
    """One side's band of woven triangles, the side to the north."""
    high, low = -0.5, -0.425
    band = polygon([(high, high), (-high, high), (-low, low), (low, low)])
    teeth, inner = [], []
    for i in range(-5, 6):
        at = i * 0.075
        teeth.append(polygon([(at - 0.033, low - 0.006), (at, high + 0.016), (at + 0.033, low - 0.006)]))
        inner.append(polygon([(at - 0.014, low - 0.012), (at, high + 0.04), (at + 0.014, low - 0.012)]))
    return (
        mark("path", d=band, fill=UMBER)
        + mark("path", d="".join(teeth), fill=AMBER)
        + mark("path", d="".join(inner), fill=CREAM)
        + stroke(f"M{low} {low}H{-low}", SUN, 0.008)
    )


def _stripes() -> str:
    """A corner of a zebra's coat, the corner to the north-west."""
    parts = [mark("path", d=_quarter(0.265), fill=SUN), mark("path", d=_quarter(0.25), fill=CREAM)]
    for i in range(5):
        outer = 0.235 - 0.046 * i
        parts.append(mark("path", d=_crescent(outer, outer - 0.03, i), fill="#241a14"))
    return mark("g", "".join(parts), transform=moved((-0.425, -0.425)))


def _quarter(radius: float) -> str:
    return f"M0 0H{radius}A{radius} {radius} 0 0 1 0 {radius}Z"


def _crescent(outer: float, inner: float, number: int) -> str:
    """A stripe of uneven width; mirrored by the diagonal so that corners match."""
    steps = 24
    angles = [0.5 * pi * i / steps for i in range(steps + 1)]
    wave = [0.006 * sin(6 * (a - pi / 4) * (1 if a > pi / 4 else -1) + number) for a in angles]
    far = [polar(outer + w, a) for w, a in zip(wave, angles, strict=True)]
    near = [polar(max(0.004, inner - 0.6 * w), a) for w, a in zip(wave, angles, strict=True)]
    return polygon([*far, *reversed(near)])


def _sun() -> str:
    rays = "".join(
        mark("path", d=polygon([(-0.024, 0.0), (0.0, -reach), (0.024, 0.0)]), fill=fill, transform=turned)
        for i in range(24)
        for reach, fill in [((0.085, SUN), (0.055, AMBER))[i % 2]]
        for turned in [moved(polar(0.215, (15 * i - 90) * pi / 180), 15.0 * i)]
    )
    discs = ((0.225, UMBER), (0.218, AMBER), (0.2, SUN), (0.172, CREAM), (0.162, "#e8b552"))
    return mark(
        "g", rays + "".join(dot((0, 0), radius, fill=fill) for radius, fill in discs), transform=moved(MIDDLE)
    )


def _tracks() -> str:
    """A lion's paws all the way round."""
    paw = dot((0, 0.012), 0.017, 0.014, fill=CREAM) + "".join(
        dot((0.0165 * sin(a), 0.008 - 0.024 * cos(a)), 0.0062, 0.0078, fill=CREAM)
        for a in (-1.0, -0.34, 0.34, 1.0)
    )
    upright = mark("g", paw, transform=moved((0, 0), 180))
    walking = "".join(
        mark("g", upright, transform=moved(polar(0.352 + 0.016 * side, angle * pi / 180), angle))
        for angle, side in ((-24, 1), (-8, -1), (8, 1), (24, -1))
    )
    return four(walking)


def _crown() -> str:
    """The crown of an acacia, seen from above. Clumps of four that do not touch each other at a time."""
    random = Random("acacia from above")
    shade = dot((0.506, 0.51), 0.152, fill="#5a2f10", opacity=0.55)
    parts = [shade]
    for radius, size, turn in ((0.113, 0.043, 0), (0.113, 0.043, 45), (0.074, 0.04, 22), (0.07, 0.038, 67)):
        parts.append(four(clump(random, polar(radius, turn * pi / 180), size, random.choice(FAMILIES))))
    parts.append(four(clump(random, (0.0, -0.038), 0.026, FAMILIES[2])))
    petals = ring(8, 0.017, dot((0, 0), 0.0075, 0.013, fill="#f6c343", stroke="#7a4a12", stroke_width=0.0015))
    return "".join(parts) + mark("g", petals + dot((0, 0), 0.009, fill="#b8641a"), transform=moved(MIDDLE))


def savanna_token() -> Plane:
    """An animal tile of Savanna: rings on a water hole, sand at its shore. One corner is cut round."""
    ground = mottled("water hole", "#dcb672", ("#c2924a", 3, 0.8), ("#f0d79a", 5, 0.6))
    rim = stroke("M.022 .022H.978V.978H.022Z", "#8a6a35", 0.044) + stroke(
        "M.05 .05H.95V.95H.05Z", "#f4e3b0", 0.012
    )
    reach = (0.4, 0.375, 0.345, 0.25, 0.15)
    rings = "".join(dot(MIDDLE, r, fill=fill) for r, (_, fill) in zip(reach, WATER, strict=True))
    waves = "".join(
        stroke(
            f"M{0.5 - r} .5A{r} {r} 0 1 1 {0.5 + r} .5A{r} {r} 0 1 1 {0.5 - r} .5",
            "#e6f7f9",
            0.01,
            opacity=0.75,
        )
        for r in (0.3, 0.2, 0.1)
    )
    reeds = "".join(
        stroke(f"M0 0Q{lean} -.06 {2.2 * lean} -{height}", colour, 0.014, stroke_linecap="round")
        for lean, height, colour in (
            (-0.022, 0.1, "#5f6b2c"),
            (0.0, 0.13, "#86893a"),
            (0.022, 0.1, "#5f6b2c"),
        )
    )
    pebbles = dot((-0.075, 0.012), 0.022, 0.017, fill="#8d8071") + dot(
        (0.075, 0.012), 0.022, 0.017, fill="#a8937a"
    )
    shore = mark("g", ring(4, 0.405, reeds + pebbles, turn=45), transform=moved(MIDDLE))
    return drawn(ground, rim + rings + waves + shore + dot(MIDDLE, 0.035, fill="#e6f7f9"))


SAVANNA = {"land": savanna_tile, "animal": savanna_token}
"""Pictures on the backs, each with the function that draws it."""
