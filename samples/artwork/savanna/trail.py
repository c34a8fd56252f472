"""Trails: tracks of red earth, worn pale in the middle, with footprints."""

from math import atan2, degrees
from random import Random

import numpy as np

from samples.artwork.geometry import TRAIL_HALF, distance, walk
from samples.artwork.raster import (
    SIZE,
    Plane,
    calm,
    distance_field,
    fractal,
    grid,
    mixed,
    noise,
    over,
    rgb,
    smoothstep,
    svg,
)
from samples.artwork.savanna.layout import Layout, Trail
from samples.artwork.svg_marks import dot, mark, moved

EARTH, WORN, RIM, DUST = rgb("#b97440"), rgb("#e9b87c"), rgb("#76572a"), rgb("#f3d09c")
#: A paw, toes to the east, about one unit long.
PAW = mark(
    "g",
    dot((-0.25, 0.0), 0.42, 0.36)
    + "".join(dot(toe, 0.155) for toe in ((0.38, -0.34), (0.5, -0.1), (0.5, 0.16), (0.36, 0.38))),
    fill="#7d4520",
    opacity=0.62,
)


def paint_trails(picture: Plane, layout: Layout, seed: str) -> Plane:
    """Lays every trail of a tile over its ground. At the tile's edge width and colour are always the same."""
    middle = calm(0.1)
    for index, trail in enumerate(layout.trails):
        random = np.random.default_rng(list(f"trail {index} {seed}".encode()))
        wobble = (0.014 * fractal(random, 6, 3) + 0.016 * noise(random, 3)) * middle
        field = _field(layout, trail) + wobble + 0.0035 * noise(random, 90)
        picture = mixed(picture, RIM, 0.5 * smoothstep(0.034, 0.0, field))
        earth = np.broadcast_to(EARTH, (SIZE, SIZE, 3)).astype(np.float32)
        worn = smoothstep(-0.008, -0.05, field) * (0.85 + 0.25 * noise(random, 12) * middle)
        earth = mixed(earth, WORN, worn)
        earth = mixed(earth, DUST, np.clip(noise(random, 40) - 0.25, 0, 1) * 0.5)
        grain = 0.05 * noise(random, 70) + 0.03 * random.standard_normal((SIZE, SIZE)).astype(np.float32)
        picture = mixed(picture, earth * (1 + grain[..., None]), smoothstep(0.009, -0.009, field))
        picture = over(picture, svg(_prints_and_pebbles(trail, layout, Random(f"steps {index} {seed}"))))
    return picture


def _field(layout: Layout, trail: Trail) -> Plane:
    """Signed distance of each pixel from the trail's border, negative inside; one may end in a clearing."""
    field = distance_field(trail.path) - np.float32(TRAIL_HALF)
    if trail.ends == "savanna":
        u, v = grid()
        clearing = np.hypot(u - trail.animal[0], v - trail.animal[1]) - layout.animal_radius * 1.12
        blend = np.clip(0.5 + 0.5 * (field - clearing) / 0.08, 0, 1)
        field = field * (1 - blend) + clearing * blend - 0.08 * blend * (1 - blend)
    return np.asarray(field, np.float32)


def _prints_and_pebbles(trail: Trail, layout: Layout, random: Random) -> str:
    parts: list[str] = []
    for number, ((u, v), (du, dv)) in enumerate(walk(trail.path, 0.056)):
        if distance((u, v), trail.animal) < layout.animal_radius * 0.95 or random.random() < 0.1:
            continue
        side = 0.024 if number % 2 else -0.024
        turn = degrees(atan2(dv, du)) + random.uniform(-14, 14)
        parts.append(mark("g", PAW, transform=moved((u - dv * side, v + du * side), turn, 0.021)))
    for (u, v), (du, dv) in walk(trail.path, 0.035):
        side = random.choice((-1, 1)) * (TRAIL_HALF + random.uniform(-0.012, 0.016))
        size, fill = random.uniform(0.003, 0.0075), random.choice(("#9b8266", "#7a6a55", "#d6b58b"))
        at = (u - dv * side, v + du * side)
        parts.append(dot(at, size, size * 0.75, fill=fill, stroke="#57422a", stroke_width=0.0012))
    return "".join(parts)
