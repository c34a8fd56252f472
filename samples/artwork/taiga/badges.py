"""Animal badges of the deck `taiga`: colour, lightness, outline and animal differ together."""

import json
from math import cos, pi, sin
from pathlib import Path
from random import Random

from samples.artwork.geometry import Point
from samples.artwork.icons import ICON_SIDE
from samples.artwork.raster import Plane, over, svg
from samples.artwork.svg_marks import dot, mark, moved, polygon
from samples.artwork.taiga.places import Places

#: Light and dark colour of a badge's field, from its north-west to its south-east.
FIELDS = {
    "deer": ("#3d5fae", "#182a66"),
    "aurochs": ("#ffe680", "#e8a81c"),
    "mammoth": ("#e9f8ff", "#9fd0e8"),
    "tiger": ("#e0483c", "#8c1220"),
}
RIMS = {"deer": "#f3ecd2", "aurochs": "#4b2a12", "mammoth": "#2f6f94", "tiger": "#ffd24a"}
HALOS = {"deer": "#fff6dc", "aurochs": "#fff9dc", "mammoth": "#ffffff", "tiger": "#fff0c0"}
INK = "#1f1710"
#: Width of an icon in badge radii, and the place of its middle.
FIT = {
    "deer": (1.5, (0.02, -0.02)),
    "aurochs": (1.34, (0.02, -0.02)),
    "mammoth": (1.4, (0.0, -0.02)),
    "tiger": (1.22, (0.0, -0.04)),
}


#: Teeth of a sabre-toothed tiger, over the icon of a tiger's face.
FANGS = (
    '<path fill="#fffbe8" stroke="#2b1c10" stroke-width=".7" stroke-linejoin="round"'
    ' d="M11.6 21.6L14.6 21.9L13 30.6ZM17.4 21.9L20.4 21.6L19 30.6Z"/>'
)
#: Long horns of an aurochs, over the short ones of the icon of an ox.
HORNS = (
    '<path fill="#fff3d2" stroke="#2b1c10" stroke-width=".7" stroke-linejoin="round"'
    ' d="M10.6 7.2Q6.2 8 3.4 5.2Q1.4 3 2.6 .2Q3.6 2.8 5.6 3.8Q8 4.8 10.9 4.4Z"/>'
)
#: The aurochs is nearly black, so that it is not taken for a mammoth.
DARKER = {"#a56953": "#4a3226", "#6d4534": "#2c1c14"}


def _read(file: Path) -> dict[str, str]:
    icons: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))["icons"]
    for brown, black in DARKER.items():
        icons["aurochs"] = icons["aurochs"].replace(brown, black)
    icons["aurochs"] += HORNS
    icons["tiger"] += FANGS
    return icons


ICONS = _read(Path(__file__).with_name("icons.json"))


def outline(animal: str, radius: float = 1.0) -> str:
    """Path data of a badge's border: a circle, a triangle, a cushion, a burr."""
    angles = [2 * pi * i / 240 for i in range(240)]

    def regular(corners: int, soft: float, turn: float) -> list[float]:
        half = pi / corners
        return [(1 - soft) * 1.1 * cos(half) / cos((a + turn) % (2 * half) - half) + soft for a in angles]

    reach = {
        "deer": [0.98 for _ in angles],
        "aurochs": regular(3, 0.5, 0.0),
        "mammoth": regular(4, 0.28, pi / 4),
        "tiger": [0.95 + 0.075 * abs(((a * 11 / pi) % 2) - 1) * 2 - 0.075 for a in angles],
    }[animal]
    return polygon([(radius * r * sin(a), -radius * r * cos(a)) for r, a in zip(reach, angles, strict=True)])


def paint_badges(picture: Plane, places: Places, animals: dict[str, tuple[str, ...]], seed: str) -> Plane:
    """Lays a badge over the picture for each animal of each grassland."""
    random = Random(f"badges {seed}")
    for name, found in animals.items():
        for animal, at in zip(found, places.animals[name], strict=True):
            body, defs = badge(animal, at, places.radius, random.uniform(-7, 7))
            picture = over(picture, svg(body, defs=defs))
    return picture


def badge(animal: str, at: Point, radius: float, turn_deg: float = 0.0) -> tuple[str, str]:
    """A badge as SVG (body, defs) in tile coordinates."""
    wide, middle = FIT[animal]
    border = outline(animal)
    icon = mark("g", ICONS[animal], transform=f"translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})")
    parts = (
        mark(
            "path", d=border, fill="#101408", opacity=0.5, transform="translate(.08 .11)", filter="url(#soft)"
        )
        + mark("path", d=border, fill=RIMS[animal], stroke=INK, stroke_width=0.05, stroke_linejoin="round")
        + mark("path", d=outline(animal, 0.86), fill="url(#field)", stroke=INK, stroke_width=0.025)
        + dot((0.05, 0.6), 0.56, 0.12, fill=INK, opacity=0.28)
        + mark("g", icon, transform=moved(middle, 0, wide / ICON_SIDE), filter="url(#halo)")
    )
    return mark("g", parts, transform=moved(at, turn_deg, radius)), definitions(FIELDS[animal], HALOS[animal])


def definitions(field: tuple[str, str], halo: str) -> str:
    """The gradient and the filters that a badge refers to."""
    return (
        f'<radialGradient id="field" cx=".36" cy=".28" r=".85"><stop offset="0" stop-color="{field[0]}"/>'
        f'<stop offset="1" stop-color="{field[1]}"/></radialGradient>'
        '<filter id="soft" x="-30%" y="-30%" width="160%" height="160%">'
        '<feGaussianBlur stdDeviation=".06"/></filter>'
        '<filter id="halo" x="-20%" y="-20%" width="140%" height="140%">'
        '<feMorphology in="SourceAlpha" operator="dilate" radius=".55" result="fat"/>'
        f'<feFlood flood-color="{halo}"/><feComposite in2="fat" operator="in" result="edge"/>'
        '<feMerge><feMergeNode in="edge"/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
    )
