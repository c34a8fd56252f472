"""The savanna itself: straw-coloured ground, grass, and the small things that lie about on it."""

from math import cos, pi, sin
from random import Random

import numpy as np

from tilesight.artwork.geometry import Point, distance
from tilesight.artwork.layout import Layout
from tilesight.artwork.raster import SIZE, Plane, calm, fractal, mixed, noise, over, rgb, svg

STRAW, OCHRE, OLIVE, PALE = rgb("#dcbc67"), rgb("#c7964a"), rgb("#a9a24e"), rgb("#efd894")
BLADES = ("#8f8a3a", "#a99a45", "#c9ad55", "#efd98c", "#7a7433", "#e3c772")


def bare_ground(seed: str) -> Plane:
    """Ground with soft patches of colour that fade towards the tile's border, so that neighbours join."""
    random = np.random.default_rng(list(seed.encode()))
    middle = calm(0.22)
    picture = np.broadcast_to(STRAW, (SIZE, SIZE, 3)).astype(np.float32)
    for colour, cells, strength in ((OCHRE, 3, 0.75), (OLIVE, 3, 0.8), (PALE, 4, 0.6)):
        patch = np.clip(fractal(random, cells) + 0.05, 0, 1) * strength
        picture = mixed(picture, colour, patch * (0.25 + 0.75 * middle))
    # Brush strokes: noise stretched along a slant, the way dry grass leans.
    stroke = noise(random, (28, 90)) * 0.5 + noise(random, (60, 170)) * 0.5
    shift = (np.arange(SIZE) * 0.35).astype(int)
    stroke = np.stack([np.roll(row, -offset) for row, offset in zip(stroke, shift, strict=True)])
    picture *= 1 + 0.075 * stroke[..., None]
    picture *= 1 + 0.02 * random.standard_normal((SIZE, SIZE, 1)).astype(np.float32)
    return np.clip(picture, 0, 1)


def grass(seed: str, count: int = 420) -> Plane:
    """Short leaning blades all over, to be laid on bare ground."""
    random = Random(f"grass {seed}")
    strokes = []
    for _ in range(count):
        u, v, lean = random.random(), random.random(), random.gauss(0.3, 0.35)
        strokes.append(_blade((u, v), lean, random.uniform(0.014, 0.034), random.choice(BLADES), random.uniform(0.002, 0.0038)))
    return svg(f'<g opacity="0.62" stroke-linecap="round" fill="none">{"".join(strokes)}</g>')


def _blade(foot: Point, lean: float, length: float, colour: str, width: float) -> str:
    u, v = foot
    top = (u + length * sin(lean), v - length * cos(lean))
    bend = (u + length * 0.2 * sin(lean), v - length * 0.65)
    return (
        f'<path d="M{u:.4f} {v:.4f}Q{bend[0]:.4f} {bend[1]:.4f} {top[0]:.4f} {top[1]:.4f}"'
        f' stroke="{colour}" stroke-width="{width:.4f}"/>'
    )


def tuft(random: Random, at: Point, size: float) -> str:
    """A tuft of tall grass with its shadow."""
    u, v = at
    green = random.random() < 0.45
    dark, mid, light = ("#5f6b2c", "#86893a", "#b6ab55") if green else ("#8a6a2c", "#b98f41", "#f0d78a")
    parts = [f'<ellipse cx="{u + size * 0.16:.4f}" cy="{v:.4f}" rx="{size * 0.55:.4f}" ry="{size * 0.17:.4f}" fill="#5a4420" opacity="0.35"/>']
    for colour, count in ((dark, 6), (mid, 6), (light, 4)):
        for _ in range(count):
            lean = random.uniform(-0.95, 0.95)
            foot = (u + lean * size * 0.22, v - random.uniform(0, size * 0.05))
            length = size * random.uniform(0.6, 1.05) * (1 - 0.3 * abs(lean))
            parts.append(_blade(foot, lean, length, colour, size * 0.055))
    return f'<g fill="none" stroke-linecap="round">{"".join(parts)}</g>'


def rock(random: Random, at: Point, size: float) -> str:
    """A stone: a lumpy polygon, lit from the north-west."""
    u, v = at
    count = random.randint(6, 8)
    turn = random.uniform(0, pi)
    outline = []
    for index in range(count):
        angle = turn + 2 * pi * index / count
        reach = size * random.uniform(0.4, 0.58)
        outline.append((u + reach * cos(angle), v + reach * 0.72 * sin(angle)))
    base, light = random.choice((("#8d8071", "#b9ab97"), ("#9a7f63", "#c7a985"), ("#7f7a74", "#aaa59b")))

    def polygon(scale: float, du: float, dv: float, fill: str, extra: str = "") -> str:
        points = " ".join(f"{u + (a - u) * scale + du:.4f},{v + (b - v) * scale + dv:.4f}" for a, b in outline)
        return f'<polygon points="{points}" fill="{fill}" stroke-linejoin="round" {extra}/>'

    return (
        polygon(1.12, size * 0.12, size * 0.13, "#4a3820", 'opacity="0.4"')
        + polygon(1, 0, 0, base, f'stroke="#574a3c" stroke-width="{size * 0.06:.4f}"')
        + polygon(0.62, -size * 0.09, -size * 0.09, light)
    )


def mound(random: Random, at: Point, size: float) -> str:
    """A termite mound: a small knobbly tower of red earth."""
    u, v = at
    towers = sorted((random.uniform(-0.3, 0.3), random.uniform(0.7, 1.25)) for _ in range(3))
    parts = [f'<ellipse cx="{u + size * 0.25:.4f}" cy="{v + size * 0.02:.4f}" rx="{size * 0.75:.4f}" ry="{size * 0.2:.4f}" fill="#4a3018" opacity="0.35"/>']
    for shift, height in towers:
        foot, top, half = u + shift * size, v - height * size, size * 0.24
        body = (
            f"M{foot - half:.4f} {v + size * 0.06:.4f}Q{foot - half * 0.7:.4f} {v - height * size * 0.6:.4f} {foot:.4f} {top:.4f}"
            f"Q{foot + half * 0.8:.4f} {v - height * size * 0.5:.4f} {foot + half * 1.1:.4f} {v + size * 0.06:.4f}Z"
        )
        parts.append(f'<path d="{body}" fill="#b0683a" stroke="#6f3d20" stroke-width="{size * 0.05:.4f}"/>')
        parts.append(f'<path d="M{foot - half * 0.4:.4f} {v:.4f}Q{foot - half * 0.35:.4f} {v - height * size * 0.5:.4f} {foot - half * 0.05:.4f} {top + size * 0.1:.4f}" fill="none" stroke="#d99562" stroke-width="{size * 0.11:.4f}" stroke-linecap="round"/>')
    return "".join(parts)


def flowers(random: Random, at: Point, size: float) -> str:
    """A few small blossoms."""
    colour = random.choice(("#e8623a", "#f4ead2", "#d2476b", "#f1a72f"))
    parts = []
    for _ in range(random.randint(4, 6)):
        u, v = at[0] + random.gauss(0, size * 0.4), at[1] + random.gauss(0, size * 0.35)
        parts.append(_blade((u, v + size * 0.28), 0.0, size * 0.26, "#6f7a34", size * 0.05))
        parts.append(f'<circle cx="{u:.4f}" cy="{v:.4f}" r="{size * 0.13:.4f}" fill="{colour}" stroke="#7a4a20" stroke-width="{size * 0.025:.4f}"/>')
        parts.append(f'<circle cx="{u:.4f}" cy="{v:.4f}" r="{size * 0.045:.4f}" fill="#5c3a14"/>')
    return f'<g stroke-linecap="round">{"".join(parts)}</g>'


def log(random: Random, at: Point, size: float) -> str:
    """A dead branch, bleached by the sun."""
    turn = random.uniform(-50, 50)
    return (
        f'<g transform="translate({at[0]:.4f} {at[1]:.4f}) rotate({turn:.1f}) scale({size:.4f})" stroke-linecap="round" fill="none">'
        '<path d="M-.75 .14L.8 .1M.1 .1L.5 -.3M-.3 .12L-.55 -.2" stroke="#4a3820" stroke-width=".22" opacity=".4" transform="translate(.08 .12)"/>'
        '<path d="M-.75 0L.8 -.05M.1 -.03L.5 -.42M-.3 -.02L-.55 -.34" stroke="#7b6247" stroke-width=".22"/>'
        '<path d="M-.72 -.05L.75 -.1M.12 -.09L.46 -.42" stroke="#c0a583" stroke-width=".08"/></g>'
    )


def _keep_out(layout: Layout, at: Point, reach: float) -> bool:
    """Whether something of that reach would touch a feature, an animal, a baobab or the border."""
    from tilesight.artwork.geometry import TRAIL_HALF, distance_to_line, inside

    if min(*at, 1 - at[0], 1 - at[1]) < reach + 0.015:
        return True
    if any(distance_to_line(at, trail.path) < TRAIL_HALF + reach for trail in layout.trails):
        return True
    if any(inside(at, bush.region) or distance_to_line(at, bush.region) < reach + 0.02 for bush in layout.bushes):
        return True
    if any(distance(at, place) < layout.animal_radius + reach + 0.02 for place in layout.animal_places.values()):
        return True
    tree = layout.baobab
    return tree is not None and (
        abs(at[0] - tree.centre[0]) < tree.height * 0.42 + reach and abs(at[1] - tree.centre[1]) < tree.height * 0.52 + reach
    )


def scattered(layout: Layout, seed: str) -> Plane:
    """Tufts, stones and other things where there is room for them, nearer ones last."""
    random = Random(f"things {seed}")
    taken: list[tuple[Point, float]] = []
    things: list[tuple[float, str]] = []
    rare = [mound, log, rock, flowers]
    random.shuffle(rare)
    wanted = [(draw, random.uniform(0.06, 0.085)) for draw in rare[:3]]
    wanted += [(random.choice((tuft, tuft, rock, flowers)), random.uniform(0.045, 0.07)) for _ in range(7)]
    wanted += [(random.choice((tuft, tuft, tuft, rock)), random.uniform(0.026, 0.042)) for _ in range(26)]
    for draw, size in wanted:
        for _ in range(40):
            at = (random.random(), random.random())
            if not _keep_out(layout, at, size * 0.75) and all(distance(at, o) > size * 0.7 + s * 0.7 for o, s in taken):
                taken.append((at, size))
                things.append((at[1], draw(random, at, size)))
                break
    return svg("".join(text for _, text in sorted(things)))


def ground(layout: Layout, seed: str) -> Plane:
    """Bare ground with grass, RGB."""
    return over(bare_ground(seed), grass(seed))
