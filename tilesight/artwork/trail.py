"""Trails: tracks of red earth, worn pale in the middle, with footprints."""

from math import atan2, degrees
from random import Random

import numpy as np

from tilesight.artwork.geometry import TRAIL_HALF, distance, walk
from tilesight.artwork.layout import Layout, Trail
from tilesight.artwork.raster import SIZE, Plane, calm, fractal, grid, mixed, noise, over, rgb, smoothstep, svg

EARTH, WORN, RIM, DUST = rgb("#c27a45"), rgb("#e6b07a"), rgb("#7d5a2a"), rgb("#f0c795")


def _field(layout: Layout, trail: Trail, index: int) -> Plane:
    """How far each pixel is from the trail's edge, negative inside; a trail that ends in savanna ends in a clearing."""
    from tilesight.artwork.raster import distance_field

    field = distance_field(trail.path) - np.float32(TRAIL_HALF)
    if trail.ends == "savanna":
        u, v = grid()
        clearing = np.hypot(u - trail.animal[0], v - trail.animal[1]) - np.float32(layout.animal_radius * 1.12)
        blend = np.clip(0.5 + 0.5 * (field - clearing) / 0.08, 0, 1)
        field = field * (1 - blend) + clearing * blend - 0.08 * blend * (1 - blend)
    return np.asarray(field, np.float32)


def paint_trails(picture: Plane, layout: Layout, seed: str) -> Plane:
    """Lays every trail of a tile over its ground. At the tile's edge width and colour are always the same."""
    for index, trail in enumerate(layout.trails):
        random = np.random.default_rng(list(f"trail {index} {seed}".encode()))
        wobble = (0.014 * fractal(random, 6, 3) + 0.016 * noise(random, 3)) * calm(0.1)
        field = _field(layout, trail, index) + wobble + 0.0035 * noise(random, 90)
        picture = mixed(picture, RIM, 0.5 * smoothstep(0.034, 0.0, field))
        earth = np.broadcast_to(EARTH, (SIZE, SIZE, 3)).astype(np.float32)
        earth = mixed(earth, WORN, smoothstep(-0.005, -0.055, field) * (0.8 + 0.25 * noise(random, 12) * calm(0.1)))
        earth = mixed(earth, DUST, np.clip(noise(random, 40) - 0.25, 0, 1) * 0.5)
        earth *= 1 + (0.05 * noise(random, 70) + 0.035 * random.standard_normal((SIZE, SIZE)).astype(np.float32))[..., None]
        picture = mixed(picture, earth, smoothstep(0.009, -0.009, field))
        picture = over(picture, svg(_footprints(trail, layout, Random(f"steps {index} {seed}"))))
    return picture


def _footprints(trail: Trail, layout: Layout, random: Random) -> str:
    """Two rows of prints along the trail, and pebbles at its sides."""
    parts: list[str] = []
    end = layout.animal_radius * 0.95
    for number, ((u, v), (du, dv)) in enumerate(walk(trail.path, 0.048)):
        if distance((u, v), trail.animal) < end or random.random() < 0.1:
            continue
        side = 0.022 if number % 2 else -0.022
        at = (u - dv * side, v + du * side)
        turn = degrees(atan2(dv, du)) + random.uniform(-14, 14)
        parts.append(f'<g transform="translate({at[0]:.4f} {at[1]:.4f}) rotate({turn:.1f}) scale(.0155)">{PRINT}</g>')
    for (u, v), (du, dv) in walk(trail.path, 0.035):
        side = random.choice((-1, 1)) * (TRAIL_HALF + random.uniform(-0.012, 0.016))
        size = random.uniform(0.003, 0.0075)
        fill = random.choice(("#9b8266", "#7a6a55", "#d6b58b"))
        parts.append(f'<ellipse cx="{u - dv * side:.4f}" cy="{v + du * side:.4f}" rx="{size:.4f}" ry="{size * 0.75:.4f}" fill="{fill}" stroke="#57422a" stroke-width=".0012"/>')
    return "".join(parts)


#: A paw, toes to the east, about one unit long.
PRINT = (
    '<g fill="#8a4f26" opacity=".55"><ellipse cx="-.25" rx=".42" ry=".36"/><circle cx=".38" cy="-.34" r=".15"/>'
    '<circle cx=".5" cy="-.1" r=".16"/><circle cx=".5" cy=".16" r=".16"/><circle cx=".36" cy=".38" r=".14"/></g>'
)
