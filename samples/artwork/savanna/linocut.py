"""Savanna drawn another way, like a cut in lino: the same tiles in flat inks, as another edition might be.

    python -m samples.artwork.savanna.linocut samples/dry-river/faces

The session `dry-river` is laid with it: no network was trained on this drawing. Places of features, animals
and birds are those of the pack.
"""

import re
import sys
from math import atan2, cos, degrees, pi, sin
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from samples.artwork.geometry import Line, Point, distance, margin, walk
from samples.artwork.icons import ICON_SIDE
from samples.artwork.raster import SIZE, Plane, fractal, mixed, noise, over, rgb, svg
from samples.artwork.savanna.animals import ICONS
from samples.artwork.savanna.designs import ANIMALS, Design, all_designs
from samples.artwork.savanna.layout import Baobab, Bush, Layout, Trail
from samples.artwork.svg_marks import curve, dot, mark, moved, polygon, stroke

FACE_PX, TOKEN_PX, QUALITY = 320, 192, 72
CLAY, SAND, ROSE = rgb("#cdb9a6"), rgb("#e2d6c4"), rgb("#b9958a")
INK, PAPER = "#241d2b", "#f6efdf"
BED, BANK, STONES = "#8fb0bf", "#3a5566", ("#dfe8ea", "#5d7c8c", "#b7c9cf")
LEAF, LEAVES = "#24555c", ("#3f8580", "#173c47", "#7fb39b")
BERRIES = ("#e0563f", "#f2c14e", "#efe6f5", "#c64f8e")
BARK, CROWN = ("#7a4a6b", "#a9738f"), ("#c9782f", "#e3a04a", "#8f4d22")
#: Colour of an animal's field and of its body.
TINTS = {
    "elephant": ("#f3d9a0", "#4d6f57"),
    "giraffe": ("#bfe0dc", "#b8691d"),
    "lion": ("#e9e2f2", "#8c2f6b"),
    "monkey": ("#f2b3a0", "#2f4a8c"),
    "zebra": ("#d7e08a", "#4a3a30"),
}
QUARTER = "M0 1V.92A.92 .92 0 0 1 .92 0H1V1Z"


def face(design: Design) -> Plane:
    """The face of a design, RGB [SIZE, SIZE, 3], its own north up."""
    layout, seed = design.layout, f"linocut {design.id}"
    random = Random(seed)
    parts = [_cracks(random), _plants(layout, random)]
    parts += [_bed(trail, layout, random) for trail in layout.trails]
    if layout.baobab:
        parts.append(_tree(layout.baobab, random))
    parts += [_thicket(bush, random) for bush in layout.bushes]
    parts += [_bird(at, random) for at in layout.birds]
    for feature, animal in design.animals.items():
        parts.append(_animal(animal, layout.animal_places[feature], layout.animal_radius, random))
    return over(_ground(seed), svg("".join(parts)))


def token(animal: str) -> Plane:
    """An animal tile, RGBA [TOKEN_PX, TOKEN_PX, 4]: a quarter of a pool, the water south-east."""
    field, body = TINTS[animal]
    rings = "".join(
        dot((1, 1), radius, fill=fill, stroke=INK, stroke_width=0.012)
        for radius, fill in ((0.36, PAPER), (0.29, BANK), (0.17, BED))
    )
    hatch = "".join(
        stroke(curve((0.1 * k - 0.9, 1.0), (0.1 * k + 0.1, 0.0)), body, 0.018, opacity=0.35)
        for k in range(20)
    )
    clipped = mark("g", mark("path", d=QUARTER, fill=field) + hatch + rings, clip_path="url(#quarter)")
    rim = mark("path", d=QUARTER, fill="none", stroke=INK, stroke_width=0.07, clip_path="url(#quarter)")
    icon = _figure(animal, (0.5, 0.52), 0.62)
    return svg(
        clipped + rim + icon, TOKEN_PX, f'<clipPath id="quarter"><path d="{QUARTER}"/></clipPath>{HALO}'
    )


def _ground(seed: str) -> Plane:
    """Clay in two tones with hard borders, and the grain of the paper."""
    random = np.random.default_rng(list(seed.encode()))
    picture = np.broadcast_to(CLAY, (SIZE, SIZE, 3)).astype(np.float32)
    picture = mixed(picture, SAND, 0.8 * (fractal(random, 3) > 0.22).astype(np.float32))
    picture = mixed(picture, ROSE, 0.7 * (fractal(random, 4) > 0.42).astype(np.float32))
    return np.asarray(picture * (1 + 0.03 * noise(random, 110))[..., None], np.float32)


def _cracks(random: Random) -> str:
    """Cracks of dried mud: forked lines of ink."""
    parts = []
    for _ in range(26):
        at, angle = (random.random(), random.random()), random.uniform(0, 2 * pi)
        line = [at]
        for _ in range(random.randint(2, 5)):
            angle += random.uniform(-0.9, 0.9)
            step = random.uniform(0.03, 0.07)
            line.append((line[-1][0] + step * cos(angle), line[-1][1] + step * sin(angle)))
        data = "M" + "L".join(f"{u:.4f} {v:.4f}" for u, v in line)
        parts.append(stroke(data, "#7d5f56", random.uniform(0.004, 0.008), stroke_linejoin="round"))
    return "".join(parts)


def _plants(layout: Layout, random: Random) -> str:
    """Agaves, stones and dots of flowers where no animal stands."""
    parts = []
    for _ in range(22):
        at, size = (random.uniform(0.05, 0.95), random.uniform(0.05, 0.95)), random.uniform(0.025, 0.05)
        if any(distance(at, place) < layout.animal_radius + size for place in layout.animal_places.values()):
            continue
        kind = random.randrange(3)
        if kind == 0:
            for k in range(-3, 4):
                tip = (at[0] + size * sin(0.4 * k), at[1] - size * cos(0.4 * k))
                parts.append(stroke(curve(at, tip), "#5a6b3a", 0.009, stroke_linecap="round"))
        elif kind == 1:
            parts.append(dot(at, size * 0.7, size * 0.45, fill="#a58e92", stroke=INK, stroke_width=0.006))
        else:
            colour = random.choice(BERRIES)
            for _ in range(6):
                place = (at[0] + random.gauss(0, size * 0.5), at[1] + random.gauss(0, size * 0.5))
                parts.append(dot(place, 0.009, fill=colour, stroke=INK, stroke_width=0.003))
    return "".join(parts)


def _path(line: Line) -> str:
    return "M" + "L".join(f"{u:.4f} {v:.4f}" for u, v in line)


def _bed(trail: Trail, layout: Layout, random: Random) -> str:
    """A trail as the bed of a dry river, waves along its middle."""
    path = _path(trail.path)
    parts = []
    pool = trail.ends == "savanna"
    for colour, more in ((INK, 0.03), (BANK, 0.014), (BED, -0.012)):
        parts.append(stroke(path, colour, 0.136 + more, stroke_linejoin="round"))
        if pool:
            parts.append(dot(trail.animal, layout.animal_radius * 1.1 + more / 2, fill=colour))
    for number, ((u, v), (du, dv)) in enumerate(walk(trail.path, 0.05)):
        turn = degrees(atan2(dv, du))
        wave = stroke("M-.5 0Q-.25 -.5 0 0Q.25 .5 .5 0", PAPER if number % 2 else BANK, 0.2)
        parts.append(mark("g", wave, transform=moved((u, v), turn + random.uniform(-10, 10), 0.036)))
        side = random.choice((-1, 1)) * random.uniform(0.03, 0.05)
        parts.append(dot((u - dv * side, v + du * side), 0.008, 0.006, fill=random.choice(STONES)))
    return "".join(parts)


def _thicket(bush: Bush, random: Random) -> str:
    """A bush: one flat shape with a jagged white line inside its border, and pairs of leaves."""
    border = polygon(list(bush.region))
    parts = [mark("path", d=border, fill=LEAF, stroke=INK, stroke_width=0.03, stroke_linejoin="round")]
    parts.append(
        mark("path", d=border, fill="none", stroke="#a6cdb0", stroke_width=0.01, stroke_dasharray="0.03 0.02")
    )
    placed: list[Point] = []
    taken = [*bush.birds, *([bush.animal] if bush.animal else [])]
    for _ in range(500):
        at = (random.random(), random.random())
        if margin(at, bush.region) < 0.025 or any(distance(at, other) < 0.052 for other in placed):
            continue
        placed.append(at)
        colour, turn = random.choice(LEAVES), random.uniform(-60, 60)
        leaf = mark("path", d="M0 0Q.5 -.6 1 0Q.5 .25 0 0Z", fill=colour)
        pair = leaf + mark("g", leaf, transform="scale(-1 1)")
        parts.append(mark("g", pair, transform=moved(at, turn, random.uniform(0.03, 0.042))))
    for at in random.sample(placed, min(len(placed), 5)):
        if all(distance(at, other) > 0.15 for other in taken):
            colour = random.choice(BERRIES)
            for k in range(5):
                place = (at[0] + 0.022 * cos(1.26 * k), at[1] + 0.022 * sin(1.26 * k))
                parts.append(dot(place, 0.014, fill=colour, stroke=INK, stroke_width=0.004))
    return "".join(parts)


def _tree(tree: Baobab, random: Random) -> str:
    """A baobab: a trunk in two tones with arms that end in discs."""
    parts, ends = [], []
    for k in range(5):
        angle = -1.2 + 0.6 * k + random.uniform(-0.12, 0.12)
        end = (0.36 * sin(angle), -0.02 - 0.36 * cos(angle))
        ends.append(end)
        arm = curve((0.04 * (k - 2), 0.05), (0.1 * sin(angle), -0.12), end)
        parts.append(stroke(arm, INK, 0.09, stroke_linecap="round"))
        parts.append(stroke(arm, BARK[0], 0.055, stroke_linecap="round"))
    trunk = "M-.3 .48Q-.17 .4 -.18 .2Q-.17 .02 -.1 -.02L.1 -.02Q.17 .02 .18 .2Q.17 .4 .3 .48Z"
    parts.append(mark("path", d=trunk, fill=BARK[0], stroke=INK, stroke_width=0.03))
    for k in range(4):
        x = -0.1 + 0.055 * k
        parts.append(stroke(curve((x, 0.06), (x * 1.5, 0.25), (x * 1.2, 0.42)), BARK[1], 0.022))
    for end in (*ends, *((e[0] * 0.6, e[1] * 0.95) for e in ends[1:4])):
        colour = random.choice(CROWN)
        parts.append(dot(end, random.uniform(0.09, 0.13), fill=colour, stroke=INK, stroke_width=0.022))
        parts.append(dot((end[0] - 0.02, end[1] - 0.02), 0.035, fill=PAPER, opacity=0.7))
    return mark("g", "".join(parts), transform=moved(tree.centre, 0, tree.height))


def _bird(at: Point, random: Random) -> str:
    """A bird: a crescent of wings and a round body, yellow with an outline."""
    wings = "M-1 -.1Q-.5 -.75 0 -.15Q.5 -.75 1 -.1Q.5 -.35 0 .3Q-.5 -.35 -1 -.1Z"
    body = mark("path", d=wings, fill="#ffd23f", stroke=INK, stroke_width=0.14, stroke_linejoin="round")
    body += dot((0, 0.12), 0.17, 0.34, fill="#ffd23f", stroke=INK, stroke_width=0.12)
    return mark("g", body, transform=moved(at, random.uniform(-40, 40), 0.085))


HALO = (
    '<filter id="halo" x="-20%" y="-20%" width="140%" height="140%">'
    '<feMorphology in="SourceAlpha" operator="dilate" radius="1" result="fat"/>'
    f'<feFlood flood-color="{PAPER}"/><feComposite in2="fat" operator="in" result="edge"/>'
    '<feMerge><feMergeNode in="edge"/><feMergeNode in="SourceGraphic"/></feMerge></filter>'
)


def _figure(animal: str, at: Point, wide: float) -> str:
    """An animal in three inks: its own, a darker and a lighter one."""
    body = rgb(TINTS[animal][1])

    def ink(found: re.Match[str]) -> str:
        light = float(rgb(found[0]).mean())
        if light < 0.3:
            return INK
        mixed_in = body if light < 0.72 else body * 0.25 + rgb(PAPER) * 0.75
        return "#" + "".join(f"{round(float(c) * 255):02x}" for c in mixed_in)

    picture = re.sub(r"#[0-9a-f]{6}", ink, ICONS[animal])
    icon = mark("g", picture, transform=f"scale(-1 1) translate({-ICON_SIDE / 2} {-ICON_SIDE / 2})")
    outlined = mark("g", icon, stroke=INK, stroke_width=0.9, stroke_linejoin="round")
    return mark("g", outlined, transform=moved(at, 0, wide / ICON_SIDE))


def _animal(animal: str, at: Point, radius: float, random: Random) -> str:
    """An animal on its plate: a square with cut corners."""
    cut = "M-.9 -.55L-.55 -.9L.55 -.9L.9 -.55L.9 .55L.55 .9L-.55 .9L-.9 .55Z"
    plate = mark("path", d=cut, fill=TINTS[animal][0], stroke=INK, stroke_width=0.11)
    inner = mark(
        "path", d=cut, fill="none", stroke=TINTS[animal][1], stroke_width=0.06, transform="scale(.86)"
    )
    return mark(
        "g",
        plate + inner + _figure(animal, (0, 0), 1.3),
        transform=moved(at, random.uniform(-7, 7), radius),
    )


def main(folder: Path) -> None:
    """Write the faces and animal tiles, as `tilesight enrol --images` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    for design in all_designs():
        picture = Image.fromarray(np.round(np.clip(face(design), 0, 1) * 255).astype(np.uint8))
        small = picture.resize((FACE_PX, FACE_PX), Image.Resampling.LANCZOS)
        small.save(folder / f"{design.id}.webp", quality=QUALITY, method=6)
    for animal in ANIMALS.values():
        tile = Image.fromarray(np.round(token(animal) * 255).astype(np.uint8))
        tile.save(folder / f"token-{animal}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
