"""Printed face of a tile from back to front: meadow, water, scenery, woods, landmarks, gold, fish, badges."""

import numpy as np

from samples.artwork.raster import Plane, blurred, calm, over
from samples.artwork.taiga.badges import paint_badges
from samples.artwork.taiga.landmarks import paint_fish, paint_landmarks
from samples.artwork.taiga.layouts import Layout
from samples.artwork.taiga.meadow import meadow, scenery
from samples.artwork.taiga.places import Places
from samples.artwork.taiga.powers import paint_gold, paint_powers
from samples.artwork.taiga.water import paint_water
from samples.artwork.taiga.woods import paint_woods


def face(layout: Layout, places: Places) -> Plane:
    """The face of a tile, RGB [SIZE, SIZE, 3], its own north up; the same picture every time."""
    tile, seed = layout.tile, layout.tile.id
    picture = paint_water(meadow(seed), layout, places, seed)
    picture = over(picture, scenery(layout, places, seed))
    picture = paint_woods(picture, layout, places, seed)
    picture = paint_landmarks(picture, places, seed)
    if tile.deck == "menhir":
        picture = paint_gold(picture, seed)
    picture = paint_fish(picture, layout, places, seed)
    animals = {name: tile.animals(name) for name in tile.features if tile.animals(name)}
    picture = paint_badges(picture, places, animals, seed)
    powers = {name: power for name in tile.features if (power := tile.power(name))}
    picture = paint_powers(picture, places, powers)
    return finished(picture)


def finished(picture: Plane) -> Plane:
    """A little sharper, with a rim so thin and soft that tiles still join."""
    soft = np.stack([blurred(picture[..., channel], 0.003) for channel in range(3)], axis=-1)
    sharper = picture + 0.3 * (picture - soft)
    return np.asarray(np.clip(sharper * (0.94 + 0.06 * calm(0.01))[..., None], 0, 1), np.float32)
