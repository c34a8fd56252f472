"""Stand-ins for lost meeples: discs, glass stones, cubes, chips, pawns, barrels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.train.scenes.objects.solids import Face, Solid, flat, placed, prism

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

SHAPES = ("disc", "disc", "disc", "glass", "glass", "cube", "cube", "chip", "pawn", "barrel")
"""The shapes of stand-ins, as often as they are drawn."""
ROUND = 22
"""Sides of a turned body."""


@dataclass(frozen=True)
class StandIn:
    """One player's stand-ins on a table: shape, size in millimetres, edge (rounding, share of the height),
    stretch of its footprint, gloss, and the share of light that passes through."""

    shape: str
    radius_mm: float
    high_mm: float
    edge: float
    stretch: float
    gloss: float
    clear: float


def random_stand_in(rng: np.random.Generator, shape: str) -> StandIn:
    """A stand-in of that shape, in the sizes that are sold."""
    radius, high = {
        "disc": (rng.uniform(4.8, 8.5), rng.uniform(2.8, 7.5)),
        "glass": (rng.uniform(6.5, 10.0), rng.uniform(3.8, 7.5)),
        "cube": (rng.uniform(3.7, 5.5), rng.uniform(7.4, 11.0)),
        "chip": (rng.uniform(6.5, 11.0), rng.uniform(0.9, 2.6)),
        "pawn": (rng.uniform(4.8, 6.8), rng.uniform(13.0, 24.0)),
        "barrel": (rng.uniform(3.2, 5.2), rng.uniform(8.0, 15.0)),
    }[shape]
    glass = shape == "glass"
    return StandIn(
        shape,
        float(radius),
        float(high),
        float(rng.uniform(0.0, 0.45)),
        float(rng.uniform(0.86, 1.16)) if glass else 1.0,
        float(rng.uniform(0.4, 1.2) if glass else rng.choice([0.03, 0.12, 0.35])),
        float(rng.uniform(0.15, 0.85) if glass else 0.0),
    )


def turned(profile_mm: F64, albedo: F32, stretch: float = 1.0) -> list[Face]:
    """A turned body whose outline is ``profile_mm`` (n, 2), radius and height from below upwards; its top is
    flat. ``stretch``: factor of one axis of its footprint."""
    a = np.arange(ROUND + 1) * 2 * math.pi / ROUND
    ring = np.stack([stretch * np.cos(a), np.sin(a) / stretch], -1)
    middle = (a[:-1] + a[1:]) / 2
    faces = []
    for (r0, z0), (r1, z1) in pairwise(profile_mm):
        slope = np.array([z1 - z0, r0 - r1]) / max(math.hypot(z1 - z0, r0 - r1), 1e-9)
        for k, way in enumerate(middle):
            low, high = r0 * ring[k : k + 2], r1 * ring[k : k + 2]
            points = np.concatenate([np.c_[low, [z0, z0]], np.c_[high, [z1, z1]][::-1]])
            normal = np.array([slope[0] * math.cos(way), slope[0] * math.sin(way), slope[1]])
            faces.append(Face(points, albedo, normal))
    radius, top = profile_mm[-1]
    faces.append(Face(np.c_[radius * ring[:-1], np.full(ROUND, top)], albedo, np.array([0.0, 0, 1]), True))
    return faces


def stand_in_solid(one: StandIn, albedo: F32, turn_deg: float, origin_mm: F64) -> Solid:
    """The solid of a stand-in of linear BGR ``albedo`` whose base stands at ``origin_mm`` (3,)."""
    r, h = one.radius_mm, one.high_mm
    t = math.radians(turn_deg)
    axes = np.array([[math.cos(t), math.sin(t), 0], [-math.sin(t), math.cos(t), 0], [0, 0, 1.0]])
    if one.shape == "cube":
        square = r * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
        faces = placed(prism(square, h, albedo), flat(turn_deg), origin_mm + np.array([0, 0, h / 2]))
    else:
        faces = placed(turned(_profile(one), albedo, one.stretch), axes, origin_mm)
    if one.shape == "chip":  # a printed middle
        printed = turned(
            np.array([(0.62 * r, h), (0.62 * r, h + 0.2)]), np.float32(0.35) * albedo + np.float32(0.4)
        )
        faces += placed(printed[-1:], axes, origin_mm)
    cloud = np.concatenate([f.points_mm for f in faces])
    return Solid(tuple(faces), cloud, one.gloss, 0.04, 1.0 if one.clear else 1.15, one.clear)


def _profile(one: StandIn) -> F64:
    """Radius and height (n, 2) in millimetres of a turned stand-in, from below upwards."""
    r, h = one.radius_mm, one.high_mm
    if one.shape == "glass":
        a = np.linspace(-0.5, 1.35, 8)
        dome = np.stack(
            [r * np.cos(a), h * (np.sin(a) - math.sin(a[0])) / (math.sin(a[-1]) - math.sin(a[0]))], -1
        )
        return np.asarray(dome, np.float64)
    if one.shape == "pawn":
        ball = 0.55 * r
        a = np.linspace(-0.8, 1.4, 6)
        head = np.stack([ball * np.cos(a), h - ball + ball * np.sin(a)], -1)
        return np.concatenate([np.array([(r, 0), (r, 0.08 * h), (0.42 * r, h - 1.9 * ball)]), head])
    edge = min(one.edge * h / 2, 0.4 * r)
    if edge < 0.1:
        return np.array([(r, 0.0), (r, h)])
    a = np.linspace(0, math.pi / 2, 4)
    rim = np.stack([r - edge + edge * np.cos(a), h - edge + edge * np.sin(a)], -1)
    return np.concatenate([np.array([(r - edge, 0.0), (r, edge)]), rim])
