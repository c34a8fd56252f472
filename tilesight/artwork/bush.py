"""Bushes: a canopy of leaf clumps in three shades over its own shadow, and the birds above it."""

from math import cos, pi, sin
from random import Random

import numpy as np

from tilesight.artwork.geometry import Point, distance, edge_point, margin
from tilesight.artwork.layout import Bush, Layout
from tilesight.artwork.raster import Plane, blurred, inside_field, mixed, over, rgb, svg

SHADOW, FLOOR = rgb("#3c2f14"), rgb("#1d3f22")
#: Dark, middle, light and glint of a clump; a bush keeps to one family with small changes.
SHADES = (
    ("#1f4a27", "#2f6b33", "#4b8b3c", "#86b653"),
    ("#1d4a31", "#2a6a41", "#43894c", "#79b061"),
    ("#2a4d22", "#40702d", "#5f9038", "#9bbb54"),
)
#: Where clumps stand on a tile's edge: symmetric and always the same, so that two halves make whole clumps.
EDGE_CLUMPS = ((0.135, 0.056), (0.235, 0.07), (0.345, 0.066), (0.445, 0.07), (0.555, 0.07), (0.655, 0.066), (0.765, 0.07), (0.865, 0.056))


def paint_bushes(picture: Plane, layout: Layout, seed: str) -> Plane:
    """Lays every bush of a tile over the picture."""
    for index, bush in enumerate(layout.bushes):
        mask = inside_field(bush.region)
        shade = blurred(np.roll(mask, (12, 9), (0, 1)), 0.018)
        picture = mixed(picture, SHADOW, 0.6 * shade)
        picture = mixed(picture, FLOOR, blurred(mask, 0.006) * 0.9)
        picture = over(picture, svg(_canopy(bush, Random(f"bush {index} {seed}"))))
    return picture


def _canopy(bush: Bush, random: Random) -> str:
    clumps: list[tuple[Point, float]] = []
    for edge in bush.edges:
        clumps += [(edge_point(edge, along), radius) for along, radius in EDGE_CLUMPS]
    fixed = len(clumps)
    for _ in range(900):
        at, radius = (random.random(), random.random()), random.uniform(0.042, 0.068)
        if margin(at, bush.region) > radius * 0.62 and all(distance(at, o) > (radius + r) * 0.52 for o, r in clumps):
            clumps.append((at, radius))
    order = sorted(range(len(clumps)), key=lambda i: clumps[i][0][1] + random.uniform(-0.06, 0.06))
    parts = []
    for number in order:
        at, radius = clumps[number]
        shades = SHADES[0] if number < fixed else random.choice(SHADES)
        parts.append(clump(random, at, radius, shades))
    return "".join(parts)


def clump(random: Random, at: Point, radius: float, shades: tuple[str, str, str, str], flat: float = 1.0) -> str:
    """A rounded clump of leaves, lit from the north-west; `flat` squashes it."""
    dark, mid, light, glint = shades
    parts = [f'<path d="{_scallop(random, radius * 1.04, 11)}" fill="#12301a" opacity=".55" transform="translate({radius * 0.09:.4f} {radius * 0.14:.4f})"/>']
    parts.append(f'<path d="{_scallop(random, radius, 11)}" fill="{dark}"/>')
    parts.append(f'<path d="{_scallop(random, radius * 0.8, 9)}" fill="{mid}" transform="translate({-radius * 0.12:.4f} {-radius * 0.13:.4f})"/>')
    parts.append(f'<path d="{_scallop(random, radius * 0.5, 8)}" fill="{light}" transform="translate({-radius * 0.26:.4f} {-radius * 0.28:.4f})"/>')
    for _ in range(7):
        angle, reach = random.uniform(0, 2 * pi), radius * random.uniform(0.1, 0.85)
        u, v = reach * cos(angle), reach * sin(angle)
        lit = (u + v) < radius * 0.1
        fill = glint if lit else mid
        turn = random.uniform(0, 180)
        parts.append(f'<ellipse rx="{radius * 0.15:.4f}" ry="{radius * 0.07:.4f}" fill="{fill}" opacity=".9" transform="translate({u:.4f} {v:.4f}) rotate({turn:.0f})"/>')
    return f'<g transform="translate({at[0]:.4f} {at[1]:.4f}) scale(1 {flat})">{"".join(parts)}</g>'


def _scallop(random: Random, radius: float, lobes: int) -> str:
    """A closed path with round lobes about the origin."""
    turn = random.uniform(0, 2 * pi)
    points = []
    for index in range(lobes):
        angle = turn + 2 * pi * (index + random.uniform(-0.15, 0.15)) / lobes
        reach = radius * random.uniform(0.86, 0.97)
        points.append((reach * cos(angle), reach * sin(angle)))
    text = f"M{points[0][0]:.4f} {points[0][1]:.4f}"
    for (au, av), (bu, bv) in zip(points, points[1:] + points[:1], strict=True):
        bow = 1.22
        text += f"Q{(au + bu) / 2 * bow:.4f} {(av + bv) / 2 * bow:.4f} {bu:.4f} {bv:.4f}"
    return text + "Z"


def paint_birds(picture: Plane, layout: Layout, seed: str) -> Plane:
    """Lays the birds over the canopy: white, wings spread, each with its shadow, so that they can be counted."""
    random = Random(f"birds {seed}")
    parts = []
    for u, v in layout.birds:
        turn = random.uniform(0, 360)
        size = random.uniform(0.078, 0.086)
        parts.append(f'<g transform="translate({u + 0.016:.4f} {v + 0.024:.4f}) rotate({turn:.0f}) scale({size:.4f})" opacity=".5">{_bird("#07170b", "#07170b", "#07170b")}</g>')
        parts.append(f'<g transform="translate({u:.4f} {v:.4f}) rotate({turn:.0f}) scale({size:.4f})">{_bird("#ffffff", "#d8e4ea", "#f28a1e")}</g>')
    return over(picture, svg("".join(parts))) if parts else picture


def _bird(white: str, grey: str, beak: str) -> str:
    """An egret from above, flying east, its wings a little under two units across."""
    line = 'stroke="#1c2a22" stroke-width=".07" stroke-linejoin="round"'
    wing = "M.22 .1Q.2 .75 -.28 1.02Q-.2 .82 -.38 .86Q-.26 .66 -.42 .62Q-.2 .5 -.28 .1Z"
    return (
        f'<path d="M-.4 0L-.92 -.2L-.8 0L-.92 .2Z" fill="{grey}" {line}/>'
        f'<path d="{wing}" fill="{white}" {line}/><path d="{wing}" fill="{white}" {line} transform="scale(1 -1)"/>'
        f'<ellipse rx=".52" ry=".2" fill="{white}" {line}/><circle cx=".58" r=".17" fill="{white}" {line}/>'
        f'<path d="M.7 -.1L1.08 0L.7 .1Z" fill="{beak}" {line}/>'
        f'<path d="M-.2 .55Q0 .4 .12 .2M-.2 -.55Q0 -.4 .12 -.2" stroke="{grey}" stroke-width=".09" fill="none"/>'
    )
