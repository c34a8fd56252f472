"""Printed face of a tile from back to front: land, water, roads, scenery, monastery, towns."""

import numpy as np

from samples.artwork.bastide.land import land, scenery
from samples.artwork.bastide.monastery import paint_monastery
from samples.artwork.bastide.plans import Plan
from samples.artwork.bastide.town import paint_towns
from samples.artwork.bastide.ways import paint_roads, paint_water
from samples.artwork.raster import Plane, over
from samples.artwork.taiga.faces import finished


def face(plan: Plan) -> Plane:
    """The face of a tile, RGB [SIZE, SIZE, 3], its own north up; the same picture every time."""
    picture = paint_roads(paint_water(land(plan.id), plan), plan)
    picture = over(picture, scenery(plan))
    picture = paint_towns(paint_monastery(picture, plan), plan)
    return finished(np.asarray(picture, np.float32))
