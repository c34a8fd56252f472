"""Baobabs: fat bottle trunks with a crown of stubby branches; no two alike."""

from math import cos, sin
from random import Random

from samples.artwork.geometry import Point
from samples.artwork.savanna.bush import Shades, clump
from samples.artwork.savanna.layout import Baobab
from samples.artwork.svg_marks import curve, dot, mark, moved, stroke

BARK, LIT, DARK, INK, HOLLOW = "#b58764", "#e6c19d", "#6f4831", "#3b2415", "#2b180c"
LEAVES: tuple[Shades, ...] = (
    ("#55702c", "#78933a", "#9db04a", "#c9cf6c"),
    ("#4d6a2e", "#6c8c3c", "#90a94c", "#bccb6f"),
)
DEFS = (
    '<linearGradient id="bark"><stop offset="0" stop-color="#e9c6a4"/>'
    '<stop offset=".35" stop-color="#c1906c"/><stop offset="1" stop-color="#6d4630"/></linearGradient>'
    '<filter id="tree-shade" x="-30%" y="-60%" width="160%" height="220%">'
    '<feGaussianBlur stdDeviation=".03"/></filter>'
)
FLAT = 0.72


def baobab(tree: Baobab, seed: str) -> tuple[str, str]:
    """A tree as SVG (body, defs) in tile coordinates, its foot to the south."""
    random = Random(f"baobab {seed}")
    lean, belly, side = random.uniform(-0.05, 0.05), random.uniform(0.19, 0.235), random.choice((-1, 1))
    branches, ends = _branches(random, lean)

    def foliage(places: list[Point], small: float, large: float) -> list[str]:
        return [
            clump(random, end, random.uniform(small, large), random.choice(LEAVES), FLAT) for end in places
        ]

    parts = [dot((0.12, 0.47), 0.42, 0.085, fill="#3a2810", opacity=0.5, filter="url(#tree-shade)")]
    parts += foliage(ends[::2], 0.1, 0.13)
    parts += [stroke(branch, INK, width + 0.03) for branch, width in branches]
    trunk = _trunk(belly, belly + random.uniform(-0.025, 0.025), lean)
    parts.append(mark("path", d=trunk, fill="url(#bark)", stroke=INK, stroke_width=0.016))
    parts += [stroke(branch, BARK, width) for branch, width in branches]
    glow = "translate(-.012 -.006)"
    parts += [stroke(branch, LIT, width * 0.3, opacity=0.8, transform=glow) for branch, width in branches]
    parts += _bark(random, belly, lean)
    parts += foliage(ends[1::2], 0.085, 0.12)
    parts += foliage([(u + random.uniform(-0.06, 0.06), v - 0.03) for u, v in ends[::2]], 0.06, 0.08)
    place = moved(tree.centre, 0, (side * tree.height, tree.height))
    return mark("g", "".join(parts), transform=place, stroke_linecap="round"), DEFS


def _trunk(left: float, right: float, lean: float) -> str:
    """Path data of the trunk: roots that spread, a belly on either side, a narrower neck."""
    return (
        curve(
            (-left - 0.13, 0.47),
            (-left - 0.01, 0.42),
            (-left, 0.3),
            (-left - 0.035, 0.1),
            (lean - 0.15, -0.05),
            (lean, -0.06),
            (lean + 0.15, -0.05),
            (right + 0.04, 0.1),
            (right, 0.3),
            (right + 0.01, 0.42),
            (right + 0.13, 0.46),
            (right * 0.75, 0.445),
            (right * 0.62, 0.5),
            (right * 0.4, 0.44),
            (right * 0.12, 0.485),
            (-left * 0.1, 0.445),
            (-left * 0.42, 0.505),
            (-left * 0.6, 0.45),
            (-left - 0.13, 0.47),
        )
        + "Z"
    )


def _branches(random: Random, lean: float) -> tuple[list[tuple[str, float]], list[Point]]:
    """Main branches and their forks as (path data, width), and where they end."""
    count = random.choice((4, 5, 5))
    branches: list[tuple[str, float]] = []
    ends: list[Point] = []
    for index in range(count):
        angle = -1.15 + 2.3 * index / (count - 1) + random.uniform(-0.12, 0.12)
        reach = random.uniform(0.29, 0.37) * (1.0 + 0.12 * abs(sin(angle)))
        foot = (lean + 0.09 * (2 * index / (count - 1) - 1), 0.02)
        tip = (lean + reach * sin(angle) * 1.12, -0.06 - reach * cos(angle) * 0.92)
        bend = (foot[0] + 0.315 * (tip[0] - foot[0]), foot[1] + 0.6 * (tip[1] - foot[1]))
        branches.append((curve(foot, bend, tip), random.uniform(0.055, 0.08)))
        ends.append(tip)
        for side in random.sample((-1, 1), random.choice((1, 2))):
            fork = angle + side * random.uniform(0.45, 0.8)
            twig = (bend[0] + 0.17 * sin(fork), bend[1] - 0.17 * cos(fork))
            branches.append((curve(bend, twig), 0.035))
            ends.append(twig)
    return branches, ends


def _bark(random: Random, belly: float, lean: float) -> list[str]:
    """Folds and flecks down the trunk, a hollow, a door or a scar, and sometimes fruit."""
    parts = []
    for _ in range(9):
        x, top, low = random.uniform(-0.85, 0.85), random.uniform(0.0, 0.16), random.uniform(0.3, 0.44)
        fold = curve((x * 0.12 + lean, top), (x * (belly + 0.01), (top + low) / 2), (x * belly, low))
        parts.append(stroke(fold, DARK, 0.011, opacity=0.75))
    for _ in range(12):
        x, y = random.uniform(-0.75, 0.2) * belly, random.uniform(0.06, 0.4)
        parts.append(stroke(curve((x, y), (x, y + random.uniform(0.03, 0.07))), LIT, 0.012, opacity=0.75))
    at = (random.uniform(-0.06, 0.06), random.uniform(0.14, 0.24))
    kind = random.randrange(3)
    if kind == 0:
        parts.append(dot(at, 0.045, 0.062, fill=HOLLOW, stroke=LIT, stroke_width=0.012))
    elif kind == 1:
        door = curve((at[0] - 0.05, 0.47), (at[0], at[1] - 0.02), (at[0] + 0.06, 0.47)) + "Z"
        parts.append(mark("path", d=door, fill=HOLLOW, stroke=LIT, stroke_width=0.01))
    else:
        parts.append(dot(at, 0.03, 0.022, fill=DARK))
        parts.append(dot(at, 0.055, 0.042, fill="none", stroke=DARK, stroke_width=0.01))
    for _ in range(random.randrange(4)):
        angle = random.uniform(-1, 1)
        u, v = lean + 0.3 * sin(angle), -0.02 - 0.12 * cos(angle) * random.uniform(0.4, 1)
        parts.append(stroke(curve((u, v), (u, v + 0.05)), INK, 0.008))
        parts.append(dot((u, v + 0.075), 0.02, 0.032, fill="#c9b46a", stroke=INK, stroke_width=0.007))
    return parts
