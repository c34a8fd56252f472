"""Tokens of the ten animals: a point at the front, so that the facing is seen from across the table.

Cut from a square: two cuts make the point. The point is white with a dark arrow, the back is plain; colour
and animal differ together from token to token.
"""

from pathlib import Path

from samples.artwork.icons import ICON_SIDE, read_icons
from samples.artwork.raster import Plane, svg
from samples.artwork.svg_marks import dot, mark, moved, polygon

#: Light and dark colour of a token's field, and the halo about its animal.
FIELDS = {
    "elephant": ("#7fd0ef", "#2583b8", "#f4fbff"),
    "lion": ("#f0664a", "#a81f22", "#ffd978"),
    "tiger": ("#ffffff", "#e8ddc4", "#fff7e2"),
    "giraffe": ("#a86fd0", "#5d2c86", "#ffe9a8"),
    "zebra": ("#5b6b80", "#1d2634", "#ffffff"),
    "buffalo": ("#ffd84d", "#e0a414", "#fff3c4"),
    "ape": ("#ffb0c8", "#e0648f", "#fff0f4"),
    "squirrel": ("#39c3a4", "#0d7a66", "#fff1d8"),
    "crocodile": ("#ff9d3b", "#d9660a", "#fff3dc"),
    "turtle": ("#3f63d8", "#1f3488", "#eef3ff"),
}
INK = "#2b1c10"
#: The arrow's colour where the field is too pale for it.
ARROWS = {"tiger": INK, "buffalo": "#7a4d00"}
#: Width of an icon in token sides where it is not 0.6: some fill less of their square.
WIDE = {"turtle": 0.72, "ape": 0.68, "elephant": 0.64, "squirrel": 0.66, "crocodile": 0.66}
#: The outline in a square of side 1, the animal's front to the north.
OUTLINE = [(0.5, 0.0), (1.0, 0.34), (1.0, 1.0), (0.0, 1.0), (0.0, 0.34)]
ICONS = read_icons(Path(__file__).with_name("icons.json"))


def token(species: str, size: int = 512) -> Plane:
    """An animal, straight RGBA [size, size, 4], facing north; clear outside its outline."""
    light, dark, halo = FIELDS[species]
    wide = WIDE.get(species, 0.6) / ICON_SIDE
    icon = mark("g", ICONS[species], transform=f"translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})")
    border = polygon(OUTLINE)
    inner = polygon([(0.5 + (u - 0.5) * 0.9, 0.53 + (v - 0.53) * 0.9) for u, v in OUTLINE])
    body = (
        mark("path", d=border, fill=INK)
        + mark("path", d=inner, fill="url(#field)")
        + mark("path", d=polygon([(0.5, 0.06), (0.93, 0.355), (0.07, 0.355)]), fill="#ffffff")
        + mark("path", d=polygon([(0.5, 0.1), (0.72, 0.3), (0.28, 0.3)]), fill=ARROWS.get(species, dark))
        + dot((0.5, 0.66), 0.31, fill=halo, opacity=0.5)
        + mark(
            "g",
            icon,
            transform=moved((0.5, 0.665), 0, wide),
            filter="url(#halo)",
        )
    )
    defs = (
        f'<linearGradient id="field" x2="0" y2="1"><stop offset="0" stop-color="{light}"/>'
        f'<stop offset="1" stop-color="{dark}"/></linearGradient>'
        '<filter id="halo" x="-20%" y="-20%" width="140%" height="140%">'
        '<feMorphology in="SourceAlpha" operator="dilate" radius=".5" result="fat"/>'
        f'<feFlood flood-color="{halo}"/><feComposite in2="fat" operator="in" result="edge"/>'
        '<feMerge><feMergeNode in="edge"/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
    )
    return svg(body, size, defs)
