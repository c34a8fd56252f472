"""Ground of dry grass (Savanna, Tricky Safari), and the blade of grass that every deck draws."""

from math import cos, sin
from random import Random

import numpy as np

from samples.artwork.geometry import Point
from samples.artwork.raster import SIZE, Plane, calm, fractal, mixed, noise, over, rgb, svg
from samples.artwork.svg_marks import curve, mark, stroke

STRAW, OCHRE, OLIVE = rgb("#dcbc67"), rgb("#c48c42"), rgb("#a6a14a")
GREEN, PALE = rgb("#8f9c48"), rgb("#f2dd9a")
BLADES = ("#8f8a3a", "#a99a45", "#c9ad55", "#efd98c", "#7a7433", "#e3c772")


def ground(seed: str) -> Plane:
    """Bare ground with grass, RGB."""
    return over(_bare(seed), _grass(seed))


def _bare(seed: str) -> Plane:
    """Ground with soft patches of colour that fade towards the tile's border, so that neighbours join."""
    random = np.random.default_rng(list(seed.encode()))
    middle = calm(0.22)
    picture = np.broadcast_to(STRAW, (SIZE, SIZE, 3)).astype(np.float32)
    for colour, cells, strength in ((OCHRE, 2, 0.95), (OLIVE, 2, 1.0), (GREEN, 3, 0.75), (PALE, 4, 0.7)):
        patch = np.clip(fractal(random, cells) - 0.02, 0, 0.9) * strength
        picture = mixed(picture, colour, patch * (0.15 + 0.85 * middle))
    # Brush strokes: noise stretched along a slant, the way dry grass leans.
    strokes = noise(random, (28, 90)) * 0.5 + noise(random, (60, 170)) * 0.5
    slant = (np.arange(SIZE) * 0.35).astype(int)
    strokes = np.stack([np.roll(row, -offset) for row, offset in zip(strokes, slant, strict=True)])
    picture *= 1 + 0.075 * strokes[..., None]
    picture *= 1 + 0.02 * random.standard_normal((SIZE, SIZE, 1)).astype(np.float32)
    return np.clip(picture, 0, 1)


def _grass(seed: str, count: int = 420) -> Plane:
    random = Random(f"grass {seed}")
    blades = []
    for _ in range(count):
        foot, lean, length = (
            (random.random(), random.random()),
            random.gauss(0.3, 0.35),
            random.uniform(0.014, 0.034),
        )
        blades.append(blade(foot, lean, length, random.choice(BLADES), random.uniform(0.002, 0.0038)))
    return svg(mark("g", "".join(blades), opacity=0.62, stroke_linecap="round"))


def blade(foot: Point, lean: float, length: float, colour: str, width: float) -> str:
    """One blade of grass, `lean` radians from upright."""
    u, v = foot
    bend = (u + length * 0.2 * sin(lean), v - length * 0.65)
    return stroke(curve(foot, bend, (u + length * sin(lean), v - length * cos(lean))), colour, width)
