"""Powers of the menhir deck: six golden medallions, and the gold that marks every tile of that deck."""

from math import cos, pi, sin
from random import Random

from samples.artwork.geometry import Point
from samples.artwork.icons import ICON_SIDE
from samples.artwork.raster import Plane, over, svg
from samples.artwork.svg_marks import dot, mark, moved, polygon, stroke
from samples.artwork.taiga.badges import ICONS, definitions
from samples.artwork.taiga.places import Places

INK, GOLD, PALE_GOLD, BRONZE = "#1f1710", "#f0b62c", "#ffe9a0", "#7c4a10"
FIELD, HALO = ("#5b3f22", "#241408"), "#fff3cc"


def _octagon(radius: float) -> str:
    return polygon([(radius * cos(pi / 8 + pi * i / 4), radius * sin(pi / 8 + pi * i / 4)) for i in range(8)])


def _icon(name: str, wide: float, middle: Point = (0.0, 0.0)) -> str:
    body = mark("g", ICONS[name], transform=f"translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})")
    return mark("g", body, transform=moved(middle, 0, wide / ICON_SIDE), filter="url(#halo)")


def _shaman() -> str:
    """A dancer with antlers and a drum, as on a cave's wall."""
    bones = (
        "M0 -.28L0 .14M0 .14L-.26 .5L-.4 .5M0 .14L.22 .34L.14 .56M0 -.16L-.34 .04L-.42 -.16M0 -.16L.3 -.1"
        "M-.06 -.46L-.24 -.74M-.14 -.6L-.34 -.62M-.2 -.68L-.2 -.82"
        "M.06 -.46L.24 -.74M.14 -.6L.34 -.62M.2 -.68L.2 -.82"
    )
    figure = stroke(bones, "#fff1c4", 0.1, stroke_linecap="round", stroke_linejoin="round")
    drum = dot((0.42, -0.04), 0.19, 0.23, fill="#d8502c", stroke="#fff1c4", stroke_width=0.06)
    return (
        figure + dot((0, -0.36), 0.14, 0.17, fill="#fff1c4") + drum + dot((0.42, -0.04), 0.07, fill="#fff1c4")
    )


def _pit_trap() -> str:
    """A pit with pointed stakes, seen from its rim."""
    stakes = "".join(
        mark(
            "path",
            d=f"M{u - 0.085} .34L{u} {-0.24 + 0.5 * u * u}L{u + 0.085} .34Z",
            fill="#f3d7a0",
            stroke=INK,
            stroke_width=0.035,
        )
        for u in (-0.42, -0.21, 0.0, 0.21, 0.42)
    )
    pit = dot((0, 0.12), 0.72, 0.46, fill="#050302", stroke="#c89a4a", stroke_width=0.1)
    return pit + stakes + stroke("M-.68 .26Q0 .74 .68 .26", "#c89a4a", 0.14, stroke_linecap="round")


def _raft() -> str:
    """Four logs tied together, with a mast."""
    logs = "".join(
        mark("rect", x=-0.62, y=v, width=1.24, height=0.2, rx=0.1, fill=fill, stroke=INK, stroke_width=0.045)
        for v, fill in ((-0.1, "#c98a48"), (0.08, "#e0a862"), (0.26, "#c98a48"))
    )
    ties = stroke("M-.36 -.1L-.36 .46M.36 -.1L.36 .46", "#fff1c4", 0.085)
    mast = stroke("M0 .06L0 -.74", "#e0a862", 0.09) + mark(
        "path", d="M.06 -.7Q.62 -.5 .52 -.14L.06 -.14Z", fill="#fff1c4", stroke=INK, stroke_width=0.04
    )
    return mast + logs + ties + stroke("M-.7 .6Q-.5 .48 -.3 .6T.1 .6T.5 .6T.7 .58", "#7fd0ee", 0.09)


EMBLEMS = {
    "wildfire": lambda: _icon("fire", 1.4, (0.0, -0.04)),
    "shaman": _shaman,
    "pit_trap": _pit_trap,
    "hunting_trap": lambda: _icon("bow", 1.3),
    "logboat": lambda: _icon("canoe", 1.34, (0.0, -0.06)),
    "raft": _raft,
}


def medallion(power: str, at: Point, radius: float) -> tuple[str, str]:
    """A power's sign as SVG (body, defs): an octagon of gold with runes about a dark field."""
    runes = "".join(
        mark(
            "path",
            d="M-.035 -.05L.035 0L-.035 .05",
            fill="none",
            stroke=BRONZE,
            stroke_width=0.035,
            transform=moved((0.88 * cos(a), 0.88 * sin(a)), a * 180 / pi),
        )
        for a in (2 * pi * i / 24 for i in range(24))
    )
    parts = (
        mark(
            "path",
            d=_octagon(1.06),
            fill="#101408",
            opacity=0.5,
            transform="translate(.08 .11)",
            filter="url(#soft)",
        )
        + mark("path", d=_octagon(1.06), fill=GOLD, stroke=INK, stroke_width=0.05)
        + stroke(_octagon(0.99), PALE_GOLD, 0.035)
        + runes
        + mark("path", d=_octagon(0.84), fill="url(#field)", stroke=INK, stroke_width=0.03)
        + mark("g", EMBLEMS[power](), transform="scale(.86)")
    )
    return mark("g", parts, transform=moved(at, 0, radius)), definitions(FIELD, HALO)


def paint_powers(picture: Plane, places: Places, powers: dict[str, str]) -> Plane:
    """Lays the sign of each power over the picture."""
    for name, power in powers.items():
        body, defs = medallion(power, places.powers[name], places.radius)
        picture = over(picture, svg(body, defs=defs))
    return picture


def paint_gold(picture: Plane, seed: str) -> Plane:
    """Marks a tile of the menhir deck: a golden knot in each corner, and sparks of gold."""
    random, near, far = Random(f"gold {seed}"), 0.05, 0.95
    corners = ((near, near), (far, near), (far, far), (near, far))
    parts = [mark("g", _knot(), transform=moved(corner, 0, 0.03)) for corner in corners]
    for _ in range(26):
        at = (random.uniform(0.06, 0.94), random.uniform(0.06, 0.94))
        size = random.uniform(0.003, 0.0065)
        parts.append(
            dot(at, size * 2.4, fill="#ffdf70", opacity=0.25) + dot(at, size, fill="#fff2b8", opacity=0.9)
        )
    return over(picture, svg("".join(parts)))


def _knot() -> str:
    """A lozenge with a spiral cut into it, one unit in radius."""
    lozenge = polygon([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)])
    return (
        mark("path", d=lozenge, fill="#101408", opacity=0.45, transform="translate(.12 .16)")
        + mark("path", d=lozenge, fill=GOLD, stroke=INK, stroke_width=0.14, stroke_linejoin="round")
        + stroke(
            "M0 0Q.26 -.06 .2 .22Q0 .42 -.28 .24Q-.5 -.1 -.2 -.38Q.1 -.54 .42 -.3",
            BRONZE,
            0.13,
            stroke_linecap="round",
        )
        + stroke("M-.72 0L0 -.72", PALE_GOLD, 0.1)
    )
