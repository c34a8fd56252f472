"""Animal badges of the deck `savanna`: colour, shape and animal all differ, so none is confused."""

from math import cos, pi, sin
from pathlib import Path

from samples.artwork.geometry import Point
from samples.artwork.icons import ICON_SIDE, read_icons
from samples.artwork.svg_marks import dot, mark, moved, polygon

#: Light and dark colour of a badge's field.
FIELDS = {
    "elephant": ("#7fd0ef", "#2583b8"),
    "giraffe": ("#a86fd0", "#5d2c86"),
    "lion": ("#f0664a", "#a81f22"),
    "monkey": ("#fbf6c8", "#cfd873"),
    "zebra": ("#5b6b80", "#1d2634"),
}
RIMS = {
    "elephant": "#f4fbff",
    "giraffe": "#ffe9a8",
    "lion": "#ffd978",
    "monkey": "#5b3a1e",
    "zebra": "#ffffff",
}
HALOS = RIMS | {"monkey": "#fffbe6"}
INK = "#2b1c10"
#: Width of an icon in badge radii, and the place of its middle.
FIT = {
    "elephant": (1.48, (0.0, -0.03)),
    "giraffe": (1.72, (0.02, 0.0)),
    "lion": (1.42, (0.0, 0.0)),
    "monkey": (1.42, (0.02, -0.03)),
    "zebra": (1.5, (0.03, 0.0)),
}
ICONS = read_icons(Path(__file__).with_name("icons.json"))


def _outline(animal: str, radius: float = 1.0) -> str:
    """Path data of a badge's border: a circle, a hexagon, a sun, a cushion, a shield."""
    angles = [2 * pi * i / 240 for i in range(240)]

    def regular(corners: int, soft: float, turn: float) -> list[float]:
        half = pi / corners
        return [(1 - soft) * 1.06 * cos(half) / cos((a + turn) % (2 * half) - half) + soft for a in angles]

    reach = {
        "elephant": [1.0 for _ in angles],
        "giraffe": regular(6, 0.25, 0.0),
        "lion": [0.97 + 0.055 * cos(14 * a) for a in angles],
        "monkey": regular(4, 0.45, pi / 4),
        "zebra": regular(3, 0.62, pi / 3),
    }[animal]
    return polygon([(radius * r * sin(a), -radius * r * cos(a)) for r, a in zip(reach, angles, strict=True)])


def badge(animal: str, at: Point, radius: float, turn_deg: float = 0.0) -> tuple[str, str]:
    """A badge as SVG (body, defs) in tile coordinates."""
    light, dark = FIELDS[animal]
    wide, middle = FIT[animal]
    border = _outline(animal)
    icon = mark("g", ICONS[animal], transform=f"translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})")
    parts = (
        mark(
            "path", d=border, fill="#1a1006", opacity=0.55, transform="translate(.07 .1)", filter="url(#soft)"
        )
        + mark("path", d=border, fill=RIMS[animal], stroke=INK, stroke_width=0.045)
        + mark("path", d=_outline(animal, 0.87), fill="url(#field)", stroke="#55443a", stroke_width=0.03)
        + dot((0.05, 0.62), 0.6, 0.13, fill=INK, opacity=0.28)
        + mark("g", icon, transform=moved(middle, 0, wide / ICON_SIDE), filter="url(#halo)")
    )
    defs = (
        f'<radialGradient id="field" cx=".38" cy=".3" r=".8"><stop offset="0" stop-color="{light}"/>'
        f'<stop offset="1" stop-color="{dark}"/></radialGradient>'
        '<filter id="soft" x="-30%" y="-30%" width="160%" height="160%">'
        '<feGaussianBlur stdDeviation=".06"/></filter>'
        '<filter id="halo" x="-20%" y="-20%" width="140%" height="140%">'
        '<feMorphology in="SourceAlpha" operator="dilate" radius=".55" result="fat"/>'
        f'<feFlood flood-color="{HALOS[animal]}"/><feComposite in2="fat" operator="in" result="edge"/>'
        '<feMerge><feMergeNode in="edge"/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
    )
    return mark("g", parts, transform=moved(at, turn_deg, radius)), defs
