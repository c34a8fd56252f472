"""The five animals on their badges: colour, shape and animal differ together, so that none is taken for another."""

import json
from math import cos, pi, sin
from pathlib import Path

from tilesight.artwork.geometry import Point

#: Badge: light and dark of its field.
FIELDS = {
    "elephant": ("#7fd0ef", "#2583b8"),
    "giraffe": ("#a86fd0", "#5d2c86"),
    "lion": ("#f0664a", "#a81f22"),
    "monkey": ("#fbf6c8", "#cfd873"),
    "zebra": ("#4b5563", "#171c26"),
}
RIMS = {"elephant": "#f4fbff", "giraffe": "#ffe9a8", "lion": "#ffd978", "monkey": "#5b3a1e", "zebra": "#ffffff"}
INK = "#2b1c10"
_ICONS: dict[str, str] = json.loads(Path(__file__).with_name("icons.json").read_text(encoding="utf-8"))["icons"]
#: How wide an icon (32 units) is drawn in badge radii, and where its middle goes.
_FIT = {
    "elephant": (1.42, 0.0, -0.03),
    "giraffe": (1.6, 0.02, 0.0),
    "lion": (1.42, 0.0, 0.0),
    "monkey": (1.42, 0.02, -0.03),
    "zebra": (1.5, 0.0, 0.0),
}


def _polar(radius: list[float]) -> str:
    """A smooth closed path through equally spaced radii about the origin."""
    count = len(radius)
    points = [(r * sin(2 * pi * i / count), -r * cos(2 * pi * i / count)) for i, r in enumerate(radius)]
    return "M" + "L".join(f"{x:.3f} {y:.3f}" for x, y in points) + "Z"


def outline(animal: str, radius: float = 1.0) -> str:
    """The path of a badge's border: round, hexagon, sun, leaf-like drop, eight-cornered."""
    steps = [2 * pi * i / 240 for i in range(240)]

    def regular(corners: int, soft: float, turn: float) -> list[float]:
        flat = pi / corners
        return [
            (1 - soft) * cos(flat) / cos((a + turn) % (2 * flat) - flat) * 1.06 + soft
            for a in steps
        ]

    shapes = {
        "elephant": [1.0 for _ in steps],
        "giraffe": regular(6, 0.25, 0.0),
        "lion": [0.97 + 0.055 * cos(14 * a) for a in steps],
        "monkey": regular(4, 0.45, pi / 4),
        "zebra": regular(3, 0.62, pi / 3),
    }
    return _polar([radius * r for r in shapes[animal]])


def badge(animal: str, at: Point, radius: float, turn: float = 0.0) -> tuple[str, str]:
    """A badge as SVG (body, defs) in tile coordinates."""
    light, dark = FIELDS[animal]
    wide, du, dv = _FIT[animal]
    scale = wide / 32
    halo = RIMS[animal] if animal != "monkey" else "#fffbe6"
    defs = (
        f'<radialGradient id="field-{animal}" cx=".38" cy=".3" r=".8"><stop offset="0" stop-color="{light}"/>'
        f'<stop offset="1" stop-color="{dark}"/></radialGradient>'
        f'<filter id="soft-{animal}" x="-30%" y="-30%" width="160%" height="160%"><feGaussianBlur stdDeviation=".06"/></filter>'
        f'<filter id="halo-{animal}" x="-20%" y="-20%" width="140%" height="140%"><feMorphology in="SourceAlpha"'
        f' operator="dilate" radius=".55" result="fat"/><feFlood flood-color="{halo}"/>'
        '<feComposite in2="fat" operator="in" result="edge"/><feMerge><feMergeNode in="edge"/>'
        '<feMergeNode in="SourceGraphic"/></feMerge></filter>'
    )
    body = (
        f'<g transform="translate({at[0]:.4f} {at[1]:.4f}) rotate({turn:.1f}) scale({radius:.4f})">'
        f'<path d="{outline(animal)}" fill="#1a1006" opacity=".55" transform="translate(.07 .1)" filter="url(#soft-{animal})"/>'
        f'<path d="{outline(animal)}" fill="{RIMS[animal]}" stroke="{INK}" stroke-width=".045"/>'
        f'<path d="{outline(animal, 0.87)}" fill="url(#field-{animal})" stroke="{INK}" stroke-opacity=".55" stroke-width=".03"/>'
        f'<ellipse cx=".05" cy=".62" rx=".6" ry=".13" fill="{INK}" opacity=".28"/>'
        f'<g transform="translate({du} {dv}) scale({scale:.5f}) translate(-16 -16)" filter="url(#halo-{animal})">{_ICONS[animal]}</g></g>'
    )
    return body, defs
