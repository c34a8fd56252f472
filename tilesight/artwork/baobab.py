"""Baobabs: fat bottle trunks with a crown of stubby branches; no two alike."""

from math import cos, sin
from random import Random

from tilesight.artwork.bush import clump
from tilesight.artwork.layout import Baobab

BARK, LIT, DARK, INK = "#a9795a", "#d9ae8a", "#704a34", "#3f2717"
LEAVES = (("#55702c", "#78933a", "#9db04a", "#c9cf6c"), ("#4d6a2e", "#6c8c3c", "#90a94c", "#bccb6f"))


def baobab(tree: Baobab, seed: str) -> tuple[str, str]:
    """A tree as SVG (body, defs) in tile coordinates; drawn one unit tall, its foot to the south."""
    random = Random(f"baobab {seed}")
    lean = random.uniform(-0.05, 0.05)
    belly = random.uniform(0.19, 0.235)
    flip = random.choice((-1, 1))
    trunk = (
        f"M{-belly - 0.09:.3f} .46Q{-belly + 0.02:.3f} .42 {-belly:.3f} .3Q{-belly - 0.02:.3f} .12 {-0.13 + lean:.3f} -.02"
        f"L{0.13 + lean:.3f} -.02Q{belly + 0.03:.3f} .12 {belly:.3f} .3Q{belly - 0.02:.3f} .42 {belly + 0.1:.3f} .45"
        f"Q{belly * 0.6:.3f} .44 {belly * 0.45:.3f} .49Q.02 .44 {-belly * 0.4:.3f} .5Q{-belly * 0.6:.3f} .45 {-belly - 0.09:.3f} .46Z"
    )
    defs = (
        '<linearGradient id="bark"><stop offset="0" stop-color="#e0b793"/><stop offset=".4" stop-color="#b5835f"/>'
        '<stop offset="1" stop-color="#6d4630"/></linearGradient>'
        '<filter id="tree-shade" x="-30%" y="-60%" width="160%" height="220%"><feGaussianBlur stdDeviation=".03"/></filter>'
    )
    branches, ends = _branches(random, lean)
    parts = ['<ellipse cx=".12" cy=".47" rx=".42" ry=".085" fill="#3a2810" opacity=".5" filter="url(#tree-shade)"/>']
    parts += [clump(random, end, random.uniform(0.1, 0.13), random.choice(LEAVES), 0.72) for end in ends[::2]]
    parts += [f'<path d="{branch}" fill="none" stroke="{INK}" stroke-width="{width + 0.03:.3f}"/>' for branch, width in branches]
    parts.append(f'<path d="{trunk}" fill="url(#bark)" stroke="{INK}" stroke-width=".016"/>')
    parts += [f'<path d="{branch}" fill="none" stroke="{BARK}" stroke-width="{width:.3f}"/>' for branch, width in branches]
    parts += [
        f'<path d="{branch}" fill="none" stroke="{LIT}" stroke-width="{width * 0.3:.3f}" transform="translate(-.012 -.006)" opacity=".8"/>'
        for branch, width in branches
    ]
    parts += _bark(random, belly, lean)
    parts += [clump(random, end, random.uniform(0.085, 0.12), random.choice(LEAVES), 0.72) for end in ends[1::2]]
    parts += [clump(random, (u + random.uniform(-0.06, 0.06), v - 0.03), random.uniform(0.06, 0.08), random.choice(LEAVES), 0.72) for u, v in ends[::2]]
    body = (
        f'<g transform="translate({tree.centre[0]} {tree.centre[1]}) scale({tree.height:.4f}) scale({flip} 1)" stroke-linecap="round">'
        f"{''.join(parts)}</g>"
    )
    return body, defs


def _branches(random: Random, lean: float) -> tuple[list[tuple[str, float]], list[tuple[float, float]]]:
    """Main branches and their forks as (path, width), and where they end."""
    count = random.choice((4, 5, 5))
    branches: list[tuple[str, float]] = []
    ends: list[tuple[float, float]] = []
    for index in range(count):
        angle = -1.15 + 2.3 * index / (count - 1) + random.uniform(-0.12, 0.12)
        reach = random.uniform(0.29, 0.37) * (1.0 + 0.12 * abs(sin(angle)))
        foot = (lean + 0.09 * (2 * index / (count - 1) - 1), 0.02)
        tip = (lean + reach * sin(angle) * 1.12, -0.06 - reach * cos(angle) * 0.92)
        bend = (foot[0] + 0.45 * (tip[0] - foot[0]) * 0.7, foot[1] + 0.6 * (tip[1] - foot[1]))
        branches.append((f"M{foot[0]:.3f} {foot[1]:.3f}Q{bend[0]:.3f} {bend[1]:.3f} {tip[0]:.3f} {tip[1]:.3f}", random.uniform(0.055, 0.08)))
        ends.append(tip)
        for side in random.sample((-1, 1), random.choice((1, 2))):
            fork = angle + side * random.uniform(0.45, 0.8)
            twig = (bend[0] + 0.17 * sin(fork), bend[1] - 0.17 * cos(fork))
            branches.append((f"M{bend[0]:.3f} {bend[1]:.3f}L{twig[0]:.3f} {twig[1]:.3f}", 0.035))
            ends.append(twig)
    return branches, ends


def _bark(random: Random, belly: float, lean: float) -> list[str]:
    """Folds down the trunk, and one thing of its own: a hollow, an owl's hole or a scar, sometimes fruit."""
    parts = []
    for _ in range(9):
        x = random.uniform(-0.85, 0.85)
        top, low = random.uniform(0.0, 0.16), random.uniform(0.3, 0.44)
        parts.append(
            f'<path d="M{x * 0.12 + lean:.3f} {top:.3f}Q{x * (belly + 0.01):.3f} {(top + low) / 2:.3f} {x * belly:.3f} {low:.3f}"'
            f' fill="none" stroke="{DARK}" stroke-width=".011" opacity=".75"/>'
        )
    kind = random.randrange(3)
    x, y = random.uniform(-0.06, 0.06), random.uniform(0.14, 0.24)
    if kind == 0:
        parts.append(f'<ellipse cx="{x:.3f}" cy="{y:.3f}" rx=".045" ry=".062" fill="#2b180c" stroke="{LIT}" stroke-width=".012"/>')
    elif kind == 1:
        parts.append(f'<path d="M{x - 0.05:.3f} .47Q{x:.3f} {y - 0.02:.3f} {x + 0.06:.3f} .47Z" fill="#2b180c" stroke="{LIT}" stroke-width=".01"/>')
    else:
        parts.append(f'<ellipse cx="{x:.3f}" cy="{y:.3f}" rx=".03" ry=".022" fill="{DARK}"/><ellipse cx="{x:.3f}" cy="{y:.3f}" rx=".055" ry=".042" fill="none" stroke="{DARK}" stroke-width=".01"/>')
    for _ in range(random.randrange(4)):
        angle = random.uniform(-1, 1)
        u, v = lean + 0.3 * sin(angle), -0.02 - 0.12 * cos(angle) * random.uniform(0.4, 1)
        parts.append(f'<path d="M{u:.3f} {v:.3f}v.05" stroke="{INK}" stroke-width=".008"/><ellipse cx="{u:.3f}" cy="{v + 0.075:.3f}" rx=".02" ry=".032" fill="#c9b46a" stroke="{INK}" stroke-width=".007"/>')
    return parts

