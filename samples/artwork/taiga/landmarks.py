"""Landmarks that are counted in forests and water: menhirs, groups of mushrooms, fish."""

from math import atan2, degrees
from random import Random

from samples.artwork.geometry import Point, distance, walk
from samples.artwork.icons import ICON_SIDE
from samples.artwork.raster import Plane, over, svg
from samples.artwork.svg_marks import dot, mark, moved, stroke
from samples.artwork.taiga.badges import ICONS
from samples.artwork.taiga.layouts import Layout
from samples.artwork.taiga.places import Places

#: A standing stone two units high, its foot at v = .62, and its lit and dark sides.
STONE = "M-.46 .6Q-.56 .1 -.44 -.5Q-.36 -1.2 .02 -1.38Q.34 -1.3 .42 -.62Q.52 0 .5 .58Q.1 .74 -.46 .6Z"
LIT = "M-.36 .5Q-.46 .05 -.35 -.5Q-.26 -1.1 .02 -1.28Q-.06 -.6 -.02 .6Q-.2 .6 -.36 .5Z"
DARK = "M.2 -1.2Q.36 -1.05 .42 -.62Q.52 0 .5 .58Q.36 .66 .16 .66Q.3 -.3 .2 -1.2Z"
SPIRAL = "M.02 -.42Q.16 -.42 .16 -.54Q.14 -.72 -.04 -.7Q-.24 -.64 -.22 -.42Q-.16 -.2 .08 -.22Q.32 -.3 .3 -.58"


def paint_landmarks(picture: Plane, places: Places, seed: str) -> Plane:
    """Lays a tile's menhirs and mushrooms over its forests."""
    random = Random(f"landmarks {seed}")
    parts = [menhir(at, 0.093, random) for at in places.menhirs.values()]
    parts += [_mushrooms(at, 0.118) for found in places.mushrooms.values() for at in found]
    return over(picture, svg("".join(parts), defs=HALO)) if parts else picture


HALO = (
    '<filter id="halo" x="-20%" y="-20%" width="140%" height="140%">'
    '<feMorphology in="SourceAlpha" operator="dilate" radius=".6" result="fat"/>'
    '<feFlood flood-color="#fffdf0"/><feComposite in2="fat" operator="in" result="edge"/>'
    '<feMerge><feMergeNode in="edge"/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
)


def menhir(at: Point, size: float, random: Random) -> str:
    """A standing stone with its shadow, moss at its foot and a spiral cut into it."""
    foot = (at[0], at[1] + 0.03)
    lean, wide = random.uniform(-6, 6), random.uniform(0.92, 1.12)
    body = (
        mark("path", d=STONE, fill="#a9a79d", stroke="#20221e", stroke_width=0.11, stroke_linejoin="round")
        + mark("path", d=LIT, fill="#f1efe4")
        + mark("path", d=DARK, fill="#6f6e69")
        + stroke(SPIRAL, "#3b3a36", 0.085, stroke_linecap="round")
        + stroke("M-.2 .12L.16 .06M-.18 .3L.2 .25", "#6a6963", 0.05, stroke_linecap="round")
    )
    moss = "".join(
        dot((random.uniform(-0.6, 0.6), 0.6 + random.uniform(-0.05, 0.1)), 0.14, 0.1, fill=fill)
        for fill in ("#5d7a35", "#86994a", "#4b6b2e", "#7b9444", "#a3ad5c", "#5d7a35")
    )
    shadow = mark("path", d="M-.4 .5L.5 .62L1.5 .28Q1.7 0 1.35 -.08Z", fill="#0a140c", opacity=0.5)
    return (
        mark("g", shadow, transform=moved(foot, 0, size))
        + mark("g", body, transform=moved(foot, lean, (size * wide, size)))
        + mark("g", moss, transform=moved(foot, 0, size))
    )


def _mushrooms(at: Point, size: float) -> str:
    """A group of three mushrooms in a ring of light moss."""
    icon = mark(
        "g", ICONS["mushroom"], transform=f"translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})", filter="url(#halo)"
    )
    parts = [dot((0, 0.1), 1.06, 0.98, fill="#d8dc9a", opacity=0.85, stroke="#33401c", stroke_width=0.05)]
    for u, v, scale, turn in ((-0.44, -0.2, 1.1, -10), (0.45, -0.18, 1.04, 12), (0.02, 0.32, 1.24, 0)):
        parts.append(dot((u + 0.06, v + 0.42 * scale), 0.34 * scale, 0.12, fill="#1d2a12", opacity=0.5))
        parts.append(mark("g", icon, transform=moved((u, v), turn, scale / ICON_SIDE)))
    return mark("g", "".join(parts), transform=moved(at, 0, size))


def paint_fish(picture: Plane, layout: Layout, places: Places, seed: str) -> Plane:
    """One salmon at each place: along a river, any way in a lake."""
    random, parts = Random(f"fish {seed}"), []
    for name, found in places.fish.items():
        for at in found:
            turn = random.uniform(-38, 38) + random.choice((0, 180))
            if name in layout.rivers:
                nearest = min(walk(layout.rivers[name], 0.01), key=lambda step: distance(step[0], at))
                turn = degrees(atan2(nearest[1][1], nearest[1][0])) + random.choice((0, 180))
            parts.append(_fish(at, turn, 0.076 if name in layout.rivers else 0.074))
    return over(picture, svg("".join(parts))) if parts else picture


BODY = (
    "M1 0Q.62 -.44 -.02 -.42Q-.46 -.34 -.68 -.1L-1.06 -.44Q-.94 0 -1.06 .44L-.68 .1"
    "Q-.46 .34 -.02 .42Q.62 .44 1 0Z"
)


def _fish(at: Point, turn: float, size: float) -> str:
    """A salmon from above and a little from the side, about two units long, its nose to the east."""
    up = -1 if abs(((turn + 180) % 360) - 180) > 90 else 1
    body = (
        mark("path", d=BODY, fill="none", stroke="#ffffff", stroke_width=0.42, stroke_linejoin="round")
        + mark("path", d="M-.1 -.38Q.12 -.72 .3 -.38Z", fill="#c8442a", stroke="#3a1410", stroke_width=0.07)
        + mark("path", d=BODY, fill="#f2743c", stroke="#3a1410", stroke_width=0.1, stroke_linejoin="round")
        + mark("path", d="M.86 .08Q.5 .4 -.02 .36Q-.4 .3 -.62 .08Q.1 .2 .86 .08Z", fill="#ffd9b8")
        + mark("path", d="M.42 -.3Q.3 0 .42 .3", fill="none", stroke="#3a1410", stroke_width=0.07)
        + "".join(dot((u, v), 0.055, fill="#7a2416") for u, v in ((0.1, -0.2), (-0.12, -0.12), (-0.3, -0.18)))
        + dot((0.66, -0.1), 0.1, fill="#ffffff")
        + dot((0.68, -0.1), 0.06, fill="#14100c")
    )
    shadow = mark("path", d=BODY, fill="#07283c", opacity=0.45)
    return mark("g", shadow, transform=moved((at[0] + 0.008, at[1] + 0.012), turn, size)) + mark(
        "g", body, transform=moved(at, turn, (size, size * up))
    )
