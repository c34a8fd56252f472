"""Backs of the deck `bastide`: a walled town in gold on crimson, for the river tiles in silver on blue."""

from math import cos, pi, sin

from samples.artwork.raster import Plane
from samples.artwork.savanna.backs import MIDDLE, drawn, four, mottled, ring
from samples.artwork.svg_marks import dot, mark, moved, stroke

GOLD, DEEP = "#e3b341", "#4f1420"


def regular() -> Plane:
    """A tile of the base game: crimson cloth, lilies, a ring of towers about a shield."""
    ground = mottled(
        "bastide back", "#8a2434", ("#6d1827", 3, 0.6), ("#a83a44", 4, 0.5), ("#51101c", 9, 0.25)
    )
    return drawn(ground, _frame(GOLD, DEEP) + _town(GOLD, DEEP))


def river() -> Plane:
    """A tile of The River: blue cloth, waves for lilies."""
    ground = mottled("river back", "#1f5f86", ("#164a6c", 3, 0.6), ("#3d84a8", 4, 0.5), ("#0d3450", 9, 0.25))
    waves = "".join(
        stroke(
            f"M-.33 {v}q.03 -.03 .06 0t.06 0t.06 0t.06 0t.06 0t.06 0t.06 0t.06 0t.06 0t.06 0t.06 0",
            "#bfe6f2",
            0.008,
            opacity=0.75,
        )
        for v in (-0.4, -0.375)
    )
    return drawn(ground, _frame("#d9e9ee", "#0b2c44") + four(waves) + _town("#d9e9ee", "#0b2c44"))


def _frame(bright: str, dark: str) -> str:
    """A double border with lilies in its corners."""
    border = stroke("M.03 .03H.97V.97H.03Z", dark, 0.062) + stroke(
        "M.055 .055H.945V.945H.055Z", bright, 0.009
    )
    border += stroke("M.078 .078H.922V.922H.078Z", bright, 0.004)
    lily = mark(
        "path",
        d="M0 .09C-.02 .05 -.03 .03 -.03 0C-.03 -.04 -.012 -.06 0 -.095"
        "C.012 -.06 .03 -.04 .03 0C.03 .03 .02 .05 0 .09Z"
        "M-.034 .03C-.06 .04 -.1 .02 -.085 -.03"
        "C-.075 -.055 -.045 -.04 -.056 -.018C-.06 0 -.045 .01 -.03 .012Z"
        "M.034 .03C.06 .04 .1 .02 .085 -.03C.075 -.055 .045 -.04 .056 -.018C.06 0 .045 .01 .03 .012Z"
        "M-.05 .03H.05V.046H-.05Z",
        fill=bright,
        stroke=dark,
        stroke_width=0.004,
    )
    return border + four(mark("g", lily, transform=moved((-0.325, -0.325), -45, 0.95)))


def _town(bright: str, dark: str) -> str:
    """A wall in a ring with eight towers, roofs inside, and the shield in the middle of all four sides."""
    wall = dot((0, 0), 0.255, fill="none", stroke=dark, stroke_width=0.05)
    wall += dot((0, 0), 0.255, fill="none", stroke=bright, stroke_width=0.034)
    wall += dot((0, 0), 0.255, fill="none", stroke=dark, stroke_width=0.014)
    tower = mark(
        "path",
        d="M-.034 .045V-.03H-.046V-.062H-.024V-.05H-.011V-.062H.011V-.05H.024V-.062H.046V-.03H.034V.045Z",
        fill=bright,
        stroke=dark,
        stroke_width=0.008,
    )
    tower += mark("path", d="M-.012 .045V.012A.012 .012 0 0 1 .012 .012V.045Z", fill=dark)
    house = mark(
        "path", d="M-.03 .03V-.008L0 -.036L.03 -.008V.03Z", fill=bright, stroke=dark, stroke_width=0.006
    )
    star = "".join(
        f"{'M' if k == 0 else 'L'}{r * cos(a):.4f} {r * sin(a):.4f}"
        for k in range(16)
        for r, a in (((0.092 if k % 2 == 0 else 0.042), pi * k / 8 - pi / 2),)
    )
    middle = mark("path", d=star + "Z", fill=bright, stroke=dark, stroke_width=0.008) + dot(
        (0, 0), 0.026, fill=dark
    )
    body = wall + ring(8, 0.275, tower) + ring(8, 0.155, house, turn=22.5) + middle
    return mark("g", body, transform=moved(MIDDLE))


BASTIDE_BACKS = {"regular": "regular", "river": "river"}
"""Value of "backs" in ``pack.json``: the picture of each deck."""
BASTIDE = {"regular": regular, "river": river}
"""Pictures on the backs, each with the function that draws it."""
