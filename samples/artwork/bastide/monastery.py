"""Monasteries from above: a church with its tower, wings round a garth, beds and a wall around all."""

from random import Random

from samples.artwork.bastide.land import tree
from samples.artwork.bastide.plans import Plan
from samples.artwork.bastide.town import INK, roof
from samples.artwork.raster import Plane, over, svg
from samples.artwork.svg_marks import dot, mark, moved, stroke

SLATE = ("#9fb0c6", "#66788f", "#e3ebf4")
#: Sides of the tower's roof, each a colour and a triangle.
SPIRE = (
    ("#c3d2e6", "-.125 -.075 -.168 -.118 -.082 -.118"),
    ("#7d8fa8", "-.125 -.075 -.082 -.118 -.082 -.032"),
    ("#56677f", "-.125 -.075 -.082 -.032 -.168 -.032"),
    ("#9fb0c6", "-.125 -.075 -.168 -.032 -.168 -.118"),
)
BEDS = ("#8d5a34", "#c2486a", "#7a9a34", "#d8a52c", "#7c5ab0")
#: Tiles on which it is drawn the other way round.
MIRRORED = ("BC-A", "BR-L3")


def paint_monastery(picture: Plane, plan: Plan) -> Plane:
    """Lays a tile's monastery over the picture."""
    if plan.monastery is None:
        return picture
    random = Random(f"monastery {plan.id}")
    wings = roof((0.115, 0.045), 0.075, 0.03, 90, SLATE) + roof((0.015, 0.128), 0.115, 0.028, 0, SLATE)
    wings += roof((-0.09, 0.045), 0.07, 0.028, 90, SLATE)
    nave = roof((0.012, -0.075), 0.14, 0.046, 0, SLATE) + roof((0.06, -0.075), 0.082, 0.036, 90, SLATE)
    beds = "".join(
        mark("rect", x=-0.166, y=0.03 * k, width=0.034, height=0.018, fill=fill)
        for k, fill in enumerate(BEDS)
    )
    body = _ground() + _garth(random) + beds + wings + nave + _tower()
    flip = (-1.0, 1.0) if plan.id in MIRRORED else (1.0, 1.0)
    return over(picture, svg(mark("g", body, transform=moved(plan.monastery, 0, flip))))


def _ground() -> str:
    """The yard and the wall around it."""
    yard = {"x": -0.185, "y": -0.175, "width": 0.37, "height": 0.35, "rx": 0.03}
    wall = {"x": -0.178, "y": -0.168, "width": 0.356, "height": 0.336, "rx": 0.026, "stroke_width": 0.012}
    return (
        mark("rect", **yard, fill="#16220e", opacity=0.4, transform=moved((0.008, 0.012)))
        + mark("rect", **yard, fill="#d9c9a0", stroke=INK, stroke_width=0.006)
        + mark("rect", **wall, fill="none", stroke="#a5967e")
        + mark("rect", **wall, fill="none", stroke="#efe6d4", stroke_dasharray="0.014 0.01")
    )


def _garth(random: Random) -> str:
    """The garden between the wings, with crossed paths and a well."""
    lawn = {"x": -0.06, "y": -0.015, "width": 0.15, "height": 0.12, "stroke_width": 0.006}
    return (
        mark("rect", **lawn, fill="#6fae45", stroke="#3f6d2a")
        + stroke("M.015 -.015V.105M-.06 .045H.09", "#e9dbb4", 0.014)
        + dot((0.015, 0.045), 0.019, fill="#5fb0d8", stroke=INK, stroke_width=0.005)
        + "".join(tree(random, (u, v), 0.017) for u in (-0.032, 0.062) for v in (0.012, 0.078))
    )


def _tower() -> str:
    """The church's tower with a golden cross."""
    square = {"x": -0.172, "y": -0.122, "width": 0.094, "height": 0.094, "stroke_width": 0.007}
    cross = "M-.148 -.075H-.102M-.125 -.104V-.046"
    return (
        mark("rect", **square, fill="#d6cab4", stroke=INK)
        + "".join(mark("polygon", points=points, fill=fill) for fill, points in SPIRE)
        + stroke(cross, "#ffd95e", 0.012)
        + stroke(cross, "#8a5f08", 0.003)
    )
