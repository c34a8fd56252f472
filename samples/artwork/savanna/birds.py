"""Birds over a bush: white egrets, wings spread, each with its shadow, so that they can be counted."""

from random import Random

from samples.artwork.geometry import Point
from samples.artwork.raster import Plane, over, svg
from samples.artwork.svg_marks import dot, mark, moved

WING = "M.3 .1Q.42 .62 -.02 1.04Q-.08 .9 -.22 .92Q-.22 .76 -.38 .7Q-.3 .55 -.42 .42Q-.3 .3 -.3 .1Z"
TIP = "M-.1 .98L-.22 .9L-.38 .7L-.42 .42L-.3 .5Z"
NIGHT = "#07170b"


def paint_birds(picture: Plane, places: tuple[Point, ...], seed: str) -> Plane:
    """Lays birds over a picture, one at each place."""
    random = Random(f"birds {seed}")
    parts = []
    for u, v in places:
        turn, size = random.uniform(0, 360), random.uniform(0.09, 0.098)
        shadow = moved((u + 0.016, v + 0.024), turn, size)
        parts.append(mark("g", _bird(NIGHT, NIGHT, NIGHT), transform=shadow, opacity=0.5))
        parts.append(mark("g", _bird("#ffffff", "#d8e4ea", "#f28a1e"), transform=moved((u, v), turn, size)))
    return over(picture, svg("".join(parts))) if parts else picture


def _bird(white: str, grey: str, beak: str) -> str:
    """An egret from above, flying east, its wings two units across."""
    right = mark("path", d=WING, fill=white) + mark("path", d=TIP, fill=grey, stroke="none")
    body = (
        mark("path", d="M-.35 0L-.86 -.26L-.78 0L-.86 .26Z", fill=grey)
        + right
        + mark("g", right, transform="scale(1 -1)")
        + dot((0, 0), 0.5, 0.24, fill=white)
        + dot((0.56, 0), 0.22, fill=white)
        + mark("path", d="M.68 -.16L1.16 0L.68 .16Z", fill=beak)
    )
    return mark("g", body, stroke="#14231a", stroke_width=0.085, stroke_linejoin="round")
