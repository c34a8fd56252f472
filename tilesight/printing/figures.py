"""Paper pieces to fold, each drawn on one strip as SVG in millimetres.

A *standee* shows its silhouette twice, head to head. It is folded at the head, glued back to back and cut
round the outline; the flaps at both ends are bent apart and form the foot. A *house* is folded into a tube of
floor, walls and roof. Each colour has a mark, the same as on the dashboard, for people who confuse colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from web.report.drawing import COLORS

FLAP_MM = 6.0
"""Depth of each half of a standee's foot in millimetres; both together are as deep as a wooden foot."""
INK, CREAM, DARK = "#241708", "#fff8e8", "#3a2508"
MARKS: Mapping[str, str] = {
    "red": "M0 -2.6L2.9 2.4H-2.9z",
    "blue": "M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z",
    "yellow": "M-2.3 -2.3H2.3V2.3H-2.3z",
    "green": "M0 -3.2L2.9 0L0 3.2L-2.9 0z",
    "black": "M-.9 -2.7H.9V-.9H2.7V.9H.9V2.7H-.9V.9H-2.7V-.9H-.9z",
    "violet": "M-2.8 -2.1H2.8V-.6H-2.8zM-2.8 .6H2.8V2.1H-2.8z",
}
"""SVG paths of the colours' marks, centred on (0, 0), as on the dashboard (web/static/js/meeple.js)."""
MEEPLE = (
    "M12 1.5c-2.5 0-4.1 1.7-4.1 3.9 0 1 .3 1.8.8 2.5C6 8.8 2 10.3 1.2 12c-.5 1 .1 2.1 1.2 2.1h4.5"
    "c-.4 2.2-1.9 4.5-3.3 6.7-.6 1 .1 1.9 1.1 1.9h4.6c.6 0 1.1-.3 1.4-.8L12 19.4l1.3 2.5c.3.5.8.8 1.4.8h4.6"
    "c1 0 1.7-.9 1.1-1.9-1.4-2.2-2.9-4.5-3.3-6.7h4.5c1.1 0 1.7-1.1 1.2-2.1-.8-1.7-4.8-3.2-7.5-4.1"
    ".5-.7.8-1.5.8-2.5 0-2.2-1.6-3.9-4.1-3.9z"
)
"""SVG path of the dashboard's meeple, 22 x MEEPLE_TALL in a box of 24 x 24."""
MEEPLE_TALL = 21.2
"""Height of MEEPLE in the units of its path."""
STANDING_MM = (17.0, 16.0)
"""Width and height of a standing meeple in millimetres."""
CAR = (
    "M-12.3 -3C-12.5 -4.6 -12.5 -6.4 -12.4 -7.6L-11.2 -8.2L-10.7 -12.4Q-10.5 -13.6 -9.6 -13.7H1.2"
    "Q2.2 -13.7 2.6 -12.8L4.3 -8.9L10.8 -8.3Q12.4 -7.9 12.4 -7V-3.4Q12.4 -2.4 11.2 -2.3H-11.2Z"
)
"""SVG path of a ranger's car, 25 x 14 mm, its wheels on y = 0."""
WINDOWS = "M-9.6 -12.4H-4.6V-8.9H-9.9zM-3.4 -12.4H1L2.7 -8.9H-3.4z"
STRIPES = "M-8.5 -8L-9.6 -3M-5.9 -8L-7 -3M-.6 -8L-1.7 -3M2 -8L.9 -3M4.6 -8L3.5 -3"
PAWN = (
    "M-5.6 0V-1.6Q-5.6 -2.9 -3.9 -3.2Q-2.2 -5.6 -2 -8.6H-3.4V-9.8H-1.9A3.3 3.3 0 1 1 1.9 -9.8H3.4V-8.6H2"
    "Q2.2 -5.6 3.9 -3.2Q5.6 -2.9 5.6 -1.6V0z"
)
"""SVG path for kinds of piece that have no drawing, 16 mm high."""


@dataclass(frozen=True, slots=True)
class Standee:
    """Design of a standee.

    ``size_mm`` is its width and height. ``draw`` returns the upright SVG drawing for a colour, in mm, with
    the middle of the foot at (0, 0). ``how`` are the folding instructions.
    """

    size_mm: tuple[float, float]
    draw: Callable[[str], str]
    how: str = "Figures: glue the halves back to back, cut round the outline, bend the feet apart."

    @property
    def strip_mm(self) -> tuple[float, float]:
        """Width and height of the strip in mm."""
        return self.size_mm[0], 2 * (self.size_mm[1] + FLAP_MM)

    def svg(self, color: str) -> str:
        """Return the strip's SVG elements, from the top: flap, back (head down), front, flap."""
        width, height = self.size_mm
        fold, tall = FLAP_MM + height, self.strip_mm[1]
        figure = f'<g transform="translate({width / 2} {fold + height})">{self.draw(color)}</g>'
        mark = _mark(color, 0.85)
        return (
            _box(0, 0, width, tall, COLORS[color])
            + _box(0, FLAP_MM, width, 2 * height, _paler(COLORS[color]))
            + figure
            + f'<g transform="translate(0 {2 * fold}) scale(1 -1)">{figure}</g>'
            + f'<g transform="translate({width / 2} {tall - FLAP_MM / 2})">{mark}</g>'
            + f'<g transform="translate({width / 2} {FLAP_MM / 2}) scale(1 -1)">{mark}</g>'
            + "".join(_fold(width, y) for y in (FLAP_MM, fold, tall - FLAP_MM))
        )


@dataclass(frozen=True, slots=True)
class House:
    """Design of a house, sizes in mm.

    It has the length along the ridge, the height of a wall, and the depths of each roof half, of the floor
    and of the tab to glue.
    """

    long_mm: float
    wall_mm: float
    roof_mm: float
    floor_mm: float
    tab_mm: float = 4.0
    how: str = "Houses: glue the tab under the floor."

    @property
    def strip_mm(self) -> tuple[float, float]:
        """Width and height of the strip in mm."""
        return self.long_mm, self.tab_mm + 2 * (self.wall_mm + self.roof_mm) + self.floor_mm

    def svg(self, color: str) -> str:
        """Return the strip's SVG elements, from the top: tab, wall, roof, roof, wall, floor."""
        width, tall = self.strip_mm
        eaves = self.tab_mm + self.wall_mm
        ridge = eaves + self.roof_mm
        far_eaves = ridge + self.roof_mm
        foot = far_eaves + self.wall_mm
        rows = [
            f'<path d="M0 {eaves + self.roof_mm * i / 4}H{width}M0 {ridge + self.roof_mm * i / 4}H{width}"'
            f' fill="none" stroke="{_ink(color)}" stroke-width="0.18" stroke-opacity="0.5"/>'
            for i in (1, 2, 3)
        ]
        door = self.wall_mm * 0.7
        doors = "".join(_box(width / 2 - 1.5, y, 3, door, INK) for y in (self.tab_mm, foot - door))
        marks = "".join(
            f'<g transform="translate({width / 2} {y}) scale(1 {turn})">{_mark(color, 0.8)}</g>'
            for y, turn in ((eaves + self.roof_mm / 2, -1), (ridge + self.roof_mm / 2, 1))
        )
        return (
            _box(0, 0, width, tall, COLORS[color])
            + _box(0, 0, width, self.tab_mm, _paler(COLORS[color]))
            + "".join(rows)
            + doors
            + marks
            + "".join(_fold(width, y) for y in (self.tab_mm, eaves, ridge, far_eaves, foot))
        )


def _meeple(color: str, chest: str = "") -> str:
    scale = STANDING_MM[1] / MEEPLE_TALL
    body = _path(MEEPLE, COLORS[color], INK, 0.75)
    chest = chest or f'<g transform="translate(12 12.2)">{_mark(color)}</g>'
    return f'<g transform="scale({scale:.4f}) translate(-12 -22.7)">{body}{chest}</g>'


def _camera(color: str) -> str:
    """SVG of a player's photographer: a meeple with a camera before its chest."""
    box = (
        '<rect x="7.2" y="9.6" width="9.6" height="6.2" rx="1" fill="#2b2622" stroke="#fff8e8"'
        ' stroke-width=".5"/>'
        '<rect x="10.4" y="8.4" width="3.2" height="1.6" fill="#2b2622"/>'
        '<circle cx="12" cy="12.7" r="2.2" fill="#fff8e8"/><circle cx="12" cy="12.7" r="1.4" fill="#4a8fb5"/>'
    )
    return _meeple(color, box)


def _car(color: str) -> str:
    wheels = "".join(
        f'<circle cx="{x}" cy="-2.9" r="2.9" fill="#4b4036"/>'
        f'<circle cx="{x}" cy="-2.9" r="1.2" fill="{CREAM}"/>'
        for x in (-6.9, 7.8)
    )
    return (
        _path(CAR, COLORS[color], INK, 0.5)
        + _path(WINDOWS, "#8fb7c4", INK, 0.3)
        + f'<path d="{STRIPES}" fill="none" stroke="{INK}" stroke-width=".9" stroke-opacity=".75"/>'
        + wheels
    )


def _pawn(color: str) -> str:
    return _path(PAWN, COLORS[color], INK, 0.5) + f'<g transform="translate(0 -12.4)">{_mark(color, 0.6)}</g>'


FIGURES: Mapping[str, Standee | House] = {
    "meeple": Standee(STANDING_MM, _meeple),
    "camera": Standee(STANDING_MM, _camera),
    "ranger": Standee((25.5, 14.0), _car),
    "hut": House(11.0, 5.5, 7.4, 11.0),
}
"""Paper figure of each kind of piece, about as large as a wooden one."""
OTHER = Standee((13.0, 16.0), _pawn)
"""Paper figure of all kinds of piece that have no drawing."""


def strip_size_mm(kind: str) -> tuple[float, float]:
    """Width and height in mm of the strip that a piece of this kind is folded from."""
    return FIGURES.get(kind, OTHER).strip_mm


def how_to_fold(kind: str) -> str:
    """Instructions, in English, for folding the strip of a piece of this kind."""
    return FIGURES.get(kind, OTHER).how


def strip_svg(kind: str, color: str) -> str:
    """SVG document of the strip of one piece, at true size; its user unit is 1 mm."""
    width, height = strip_size_mm(kind)
    body = FIGURES.get(kind, OTHER).svg(color)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm"'
        f' viewBox="0 0 {width} {height}">{body}</svg>'
    )


def _mark(color: str, scale: float = 1.0) -> str:
    return (
        f'<g transform="scale({scale})"><path d="{MARKS[color]}" fill="{_ink(color)}"/></g>'
        if color in MARKS
        else ""
    )


def _ink(color: str) -> str:
    """Colour of lines that contrast with a piece's colour, '#rrggbb'."""
    return DARK if color in ("yellow", "white") else CREAM


def _path(data: str, fill: str, line: str, width: float) -> str:
    return f'<path d="{data}" fill="{fill}" stroke="{line}" stroke-width="{width}" stroke-linejoin="round"/>'


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"/>'


def _fold(width: float, y: float) -> str:
    """SVG of a fold line across the strip, dashed in dark and pale so that it shows on any colour."""
    return "".join(
        f'<path d="M0 {y}H{width}" fill="none" stroke="{ink}" stroke-width=".25"'
        f' stroke-dasharray="{dashes}"/>'
        for ink, dashes in ((INK, "1 1"), (CREAM, "0 1 1 0"))
    )


def _paler(colour: str) -> str:
    """Mix a colour '#rrggbb' half with white (white itself with grey), for the margin of a silhouette."""
    target = 0xB0 if colour == COLORS["white"] else 0xFF
    return "#" + "".join(f"{(int(colour[i : i + 2], 16) + target) // 2:02x}" for i in (1, 3, 5))
