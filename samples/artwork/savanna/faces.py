"""Printed face of a tile from back to front: ground, trails, things, baobab, bushes, birds, animals."""

from random import Random

import numpy as np

from samples.artwork.ground import ground
from samples.artwork.raster import Plane, blurred, calm, over, svg
from samples.artwork.savanna.animals import FIELDS, INK, badge
from samples.artwork.savanna.baobab import baobab
from samples.artwork.savanna.birds import paint_birds
from samples.artwork.savanna.bush import paint_bushes
from samples.artwork.savanna.designs import Design
from samples.artwork.savanna.things import things
from samples.artwork.savanna.trail import paint_trails
from samples.artwork.svg_marks import dot, mark

#: A quarter of a disc about the token's south-east corner, and the rings of water there.
QUARTER = "M0 1V.92A.92 .92 0 0 1 .92 0H1V1Z"
WATER = ((0.33, "#8a6a35"), (0.31, "#d9c48a"), (0.28, "#2f86a8"), (0.22, "#4aa7c4"), (0.14, "#7cc7da"))


def face(design: Design) -> Plane:
    """The face of a design, RGB [SIZE, SIZE, 3], its own north up; the same picture every time."""
    layout, seed = design.layout, design.id
    picture = paint_trails(ground(seed), layout, seed)
    picture = over(picture, things(layout, seed))
    if layout.baobab:
        body, defs = baobab(layout.baobab, seed)
        picture = over(picture, svg(body, defs=defs))
    picture = paint_bushes(picture, layout, seed)
    picture = paint_birds(picture, layout.birds, seed)
    random = Random(f"animals {seed}")
    for feature, animal in design.animals.items():
        place = layout.animal_places[feature]
        body, defs = badge(animal, place, layout.animal_radius, random.uniform(-9, 9))
        picture = over(picture, svg(body, defs=defs))
    return _finished(picture)


def _finished(picture: Plane) -> Plane:
    """A little sharper, with a rim so thin and soft that tiles still join."""
    soft = np.stack([blurred(picture[..., channel], 0.003) for channel in range(3)], axis=-1)
    sharper = picture + 0.35 * (picture - soft)
    return np.asarray(np.clip(sharper * (0.93 + 0.07 * calm(0.012))[..., None], 0, 1), np.float32)


def token(animal: str, size: int = 512) -> Plane:
    """An animal tile, straight RGBA [size, size, 4]: a quarter of a water hole, the water south-east."""
    light, dark = FIELDS[animal]
    body, defs = badge(animal, (0.57, 0.57), 0.3)
    rings = "".join(dot((1, 1), radius, fill=fill) for radius, fill in WATER)
    border = mark("path", d=QUARTER, fill="none", stroke=dark, stroke_width=0.05)
    quarter = mark(
        "g", mark("path", d=QUARTER, fill="url(#sand)") + rings + border, clip_path="url(#quarter)"
    )
    ink = mark("path", d=QUARTER, fill="none", stroke=INK, stroke_opacity=0.6, stroke_width=0.008)
    defs += (
        f'<clipPath id="quarter"><path d="{QUARTER}"/></clipPath><linearGradient id="sand" x2="1" y2="1">'
        f'<stop offset="0" stop-color="{light}"/><stop offset=".55" stop-color="#e6c98a"/>'
        '<stop offset="1" stop-color="#d2ac63"/></linearGradient>'
    )
    return svg(quarter + ink + body, size, defs)
