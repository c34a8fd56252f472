"""A printed face: ground, trails, things on the ground, bushes, baobab, birds, animals, from back to front."""

from random import Random

import numpy as np

from tilesight.artwork.animals import FIELDS, INK, badge
from tilesight.artwork.baobab import baobab
from tilesight.artwork.bush import paint_birds, paint_bushes
from tilesight.artwork.designs import Design
from tilesight.artwork.ground import ground, scattered
from tilesight.artwork.raster import SIZE, Plane, blurred, calm, over, svg
from tilesight.artwork.trail import paint_trails


def face(design: Design) -> Plane:
    """The face of a design, RGB [SIZE, SIZE, 3], its own north up. The same design is the same picture every time."""
    layout, seed = design.layout, design.id
    picture = ground(layout, seed)
    picture = paint_trails(picture, layout, seed)
    picture = over(picture, scattered(layout, seed))
    if layout.baobab:
        picture = over(picture, svg(*_swap(baobab(layout.baobab, seed))))
    picture = paint_bushes(picture, layout, seed)
    picture = paint_birds(picture, layout, seed)
    random = Random(f"animals {seed}")
    for feature, animal in design.animals.items():
        body, defs = badge(animal, layout.animal_places[feature], layout.animal_radius, random.uniform(-9, 9))
        picture = over(picture, svg(body, SIZE, defs))
    return _finished(picture)


def _swap(parts: tuple[str, str]) -> tuple[str, int, str]:
    return parts[0], SIZE, parts[1]


def _finished(picture: Plane) -> Plane:
    """A little sharpening, and a rim so thin and soft that tiles still join."""
    soft = np.stack([blurred(picture[..., channel], 0.003) for channel in range(3)], axis=-1)
    picture = picture + 0.35 * (picture - soft)
    return np.asarray(np.clip(picture * (0.93 + 0.07 * calm(0.012))[..., None], 0, 1), np.float32)


def token(animal: str, size: int = 512) -> Plane:
    """An animal tile, RGBA: a quarter of a water hole, its water in the south-east corner."""
    light, dark = FIELDS[animal]
    body, defs = badge(animal, (0.47, 0.47), 0.335)
    shape = "M.02 1V.9A.88 .88 0 0 1 .9 .02H1V1Z"
    rings = "".join(
        f'<circle cx="1" cy="1" r="{radius}" fill="{fill}"/>'
        for radius, fill in ((0.36, "#8a6a35"), (0.335, "#d9c48a"), (0.3, "#2f86a8"), (0.24, "#4aa7c4"), (0.15, "#7cc7da"))
    )
    back = (
        f'<clipPath id="quarter"><path d="{shape}"/></clipPath><linearGradient id="sand" x2="1" y2="1">'
        f'<stop offset="0" stop-color="{light}"/><stop offset=".55" stop-color="#e6c98a"/><stop offset="1" stop-color="#d2ac63"/></linearGradient>'
    )
    text = (
        f'<g clip-path="url(#quarter)"><path d="{shape}" fill="url(#sand)"/>{rings}'
        f'<path d="{shape}" fill="none" stroke="{dark}" stroke-width=".05"/></g>'
        f'<path d="{shape}" fill="none" stroke="{INK}" stroke-opacity=".6" stroke-width=".008"/>{body}'
    )
    return svg(text, size, back + defs)


