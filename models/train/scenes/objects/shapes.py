"""Shapes of the pieces as solids: meeples, huts, ranger vehicles, tokens."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.layout import PieceSpec
from models.train.scenes.objects.solids import Face, Solid, flat, placed, prism, rounded_prism, upright
from models.train.scenes.objects.stand_ins import SHAPES, random_stand_in, stand_in_solid

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

# Paint of the pieces in sRGB (r, g, b): the middle of what printings use.
PAINT: dict[str, tuple[float, float, float]] = {
    "yellow": (238, 190, 25),
    "red": (198, 30, 32),
    "green": (28, 128, 52),
    "blue": (28, 72, 168),
    "black": (30, 30, 32),
    "violet": (104, 44, 138),
    "white": (232, 229, 220),
}
UNDYED = ("black", "white")
"""Paints without a hue."""
GREY_LEVELS = (95.0, 165.0)
"""Range of the paint of grey pieces, a sixth player's in some games, in sRGB levels."""

LOG_SIDES = (math.log(0.15), 0.0)
"""Range of the logarithm of the factor by which the outline's sides are darker than the flat faces, of dyed
pieces."""


def paint(rng: np.random.Generator, color: str) -> F32:
    """A colour's paint on one table, linear BGR: hue, depth and strength differ between printings."""
    rgb = np.array([[PAINT[color]]], np.uint8)
    h, s, v = (float(c) for c in cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV)[0, 0])
    h += float(np.clip(rng.normal(0, 4.5), -9, 9))
    s = float(np.clip(s * rng.uniform(0.72, 1.15), 0, 255))
    v = float(np.clip(v * rng.uniform(0.6, 1.2), 8, 250))
    if color == "black":
        s, v = float(rng.uniform(0, 40)), float(rng.uniform(14, 62))
    elif color == "white":
        h, s, v = float(rng.uniform(10, 30)), float(rng.uniform(0, 45)), float(rng.uniform(195, 253))
    elif color == "yellow":
        h = float(np.clip(h, 18, 29))
    hsv = np.clip(np.array([[[h % 180, s, v]]]), 0, 255).astype(np.uint8)
    bgr = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    return np.asarray((bgr / 255) ** np.float32(2.2), np.float32)


def smooth(points: F64, rounds: int = 2) -> F64:
    """Chaikin's corner cutting of a closed outline (n, 2)."""
    for _ in range(rounds):
        nxt = np.roll(points, -1, axis=0)
        points = np.stack([0.75 * points + 0.25 * nxt, 0.25 * points + 0.75 * nxt], 1).reshape(-1, 2)
    return points


def meeple_outline(rng: np.random.Generator, height_mm: float) -> F64:
    """A meeple's outline (n, 2): a to the right, b up, feet on b = 0."""
    j = rng.normal(0, 0.5, 12)
    head, arm, leg = rng.uniform(0.85, 1.2), rng.uniform(0.85, 1.12), rng.uniform(0.9, 1.1)
    half = np.array([
        (0.0, 16.2), (1.7 * head, 15.9), (2.9 * head, 14.8), (3.1 * head, 13.2), (2.4 * head, 11.7),
        (3.3, 11.0), (5.6, 10.4 + j[0]), (8.0 * arm, 9.3 + j[1]), (8.4 * arm, 8.2 + j[2]),
        (7.6 * arm, 7.0 + j[2]), (5.4, 6.6 + j[3]), (4.3 + j[4], 5.9), (5.0, 4.0),
        (6.6 * leg, 1.4), (7.0 * leg, 0.0), (6.4 * leg, 0.0), (2.4, 0.0), (1.6, 0.3), (0.8, 1.8 + j[5]),
        (0.0, 2.8 + j[5]),
    ])  # fmt: skip
    left = half[1:-1][::-1] * (-1.0, 1.0)
    full = smooth(np.concatenate([half, left]), 1)
    full[:, 1] -= full[:, 1].min()
    return np.asarray(full * (height_mm / full[:, 1].max()), np.float64)


def hut_outline(rng: np.random.Generator, size_mm: float) -> F64:
    """The side view of a hut: a roof over walls, a round tent, or a stepped roof."""
    kind = int(rng.integers(4))
    if kind == 0:
        p = np.array([(-5, 0), (5, 0), (5, 5), (6.2, 5), (0, 10.5), (-6.2, 5), (-5, 5)], np.float64)
    elif kind == 1:
        a = np.linspace(0, math.pi, 13)
        p = np.stack([6 * np.cos(a), 9 * np.sin(a)], -1)
    elif kind == 2:
        p = np.array([(-5.5, 0), (5.5, 0), (5.5, 4.5), (0, 10), (-5.5, 4.5)], np.float64)
    else:
        p = np.array(
            [(-5.5, 0), (5.5, 0), (5.5, 2.6), (4.8, 3.2), (5.5, 3.8), (5.5, 6.2), (2.2, 9.5),
             (-2.2, 9.5), (-5.5, 6.2), (-5.5, 3.8), (-4.8, 3.2), (-5.5, 2.6)], np.float64
        )  # fmt: skip
    return np.asarray(p * (size_mm / 10.0), np.float64)


def jeep_outline(rng: np.random.Generator) -> F64:
    """The side view of a ranger's vehicle, 25 mm long, without its wheels."""
    j = rng.normal(0, 0.6, 6)
    p = np.array([
        (12, 2.2), (12.3, 6.8 + j[0]), (6.0 + j[1], 7.4 + j[0]), (4.0 + j[1], 12.0 + j[2]),
        (-10.5 + j[3], 12.2 + j[2]), (-11.8, 7.0), (-12, 2.2),
    ])  # fmt: skip
    wheels = [
        (-9.6, 1.6),
        (-8.6, 0.0),
        (-5.4, 0.0),
        (-4.4, 2.2),
        (4.4, 2.2),
        (5.4, 0.0),
        (8.6, 0.0),
        (9.6, 1.6),
    ]
    if rng.random() < 0.6:  # cut in one piece with its wheels
        p = np.concatenate([p, np.array(wheels)])
    tall = np.array([1.0, float(rng.uniform(0.9, 1.25))])
    return smooth(p.astype(np.float64) * tall, 1)


def disc(radius: float, n: int = 14) -> F64:
    """A circle's outline (n, 2)."""
    a = np.arange(n) * 2 * math.pi / n
    return np.stack([radius * np.cos(a), radius * np.sin(a)], -1)


class PieceSet:
    """One printing's pieces: their paint and cut, the same for the whole table."""

    def __init__(self, rng: np.random.Generator, dye: float = 1.0, stout: bool = False) -> None:
        """``dye``: factor of what coloured paint throws back; dark green and dark blue are at about 0.3.
        Where it is not 1, the sides of the outline, end grain in part, have drunk more of it. ``stout``:
        meeples are up to 12.5 mm thick, with rounded edges, as in later printings."""
        self.paints = {c: paint(rng, c) * np.float32(1.0 if c in UNDYED else dye) for c in PAINT}
        own, more = rng.spawn(2)  # the other pieces stay as they are without these
        level = own.uniform(*GREY_LEVELS) + own.normal(0, 4, 3)
        self.paints["grey"] = np.asarray((level / 255) ** 2.2, np.float32)
        self.side = np.float32(0.93 if dye == 1.0 else math.exp(own.uniform(*LOG_SIDES)))
        self.height_mm = float(rng.uniform(14.5, 18.5))
        self.thick_mm = float(rng.uniform(7.5, 10.5))
        self.bevel_mm = 0.0
        if stout:
            self.height_mm, self.thick_mm = float(more.uniform(14.5, 17.5)), float(more.uniform(8.5, 12.5))
            self.bevel_mm = float(more.uniform(0.3, 1.4))
        usual = str(more.choice(SHAPES))  # most tables have one bag of stones
        self.stand_ins = {
            color: random_stand_in(more, usual if more.random() < 0.6 else str(more.choice(SHAPES)))
            for color in self.paints
        }
        self.outline = meeple_outline(rng, self.height_mm)
        self.hut_mm = float(rng.uniform(9.0, 12.5))
        self.hut = hut_outline(rng, self.hut_mm)
        self.hut_long_mm = float(rng.uniform(8.0, 12.5))
        self.gloss = float(rng.choice([0.03, 0.12, 0.35]))
        self.jeep_kind = int(rng.choice([0, 0, 1, 2]))
        self.jeep = jeep_outline(rng)
        self.jeep_scale = float(rng.uniform(0.88, 1.12))
        self.jeep_thick_mm = float(rng.uniform(8.5, 14.0))
        self.edge = float(rng.choice([1.0, 1.0, 1.2, 1.45]))
        self.dark = np.float32(rng.uniform(0.004, 0.06))
        self.window = np.array([0.12, 0.08, 0.06], np.float32) * np.float32(rng.uniform(0.3, 3))

    def solid(self, spec: PieceSpec, origin_mm: F64, rng: np.random.Generator) -> Solid:
        """The solid of one piece whose base stands at origin_mm (3,). Tokens are drawn elsewhere."""
        if spec.kind == "other":
            color = str(spec.color)
            wear = np.float32(rng.normal(1.0, 0.05))
            paint = np.clip(self.paints[color] * wear, 0, 1)
            return stand_in_solid(self.stand_ins[color], paint, spec.turn_deg, origin_mm)
        if spec.kind == "ranger":
            faces = self._ranger(spec, origin_mm)
        elif spec.kind == "hut":
            faces = self._hut(spec, origin_mm)
        else:
            faces = self._meeple(spec, origin_mm)
        wear = np.float32(rng.normal(1.0, 0.05))
        faces = [Face(f.points_mm, np.clip(f.albedo * wear, 0, 1), f.normal, f.cap) for f in faces]
        cloud = np.concatenate([f.points_mm for f in faces])
        return Solid(tuple(faces), cloud, self.gloss, 0.05, self.edge)

    def _meeple(self, spec: PieceSpec, origin: F64) -> list[Face]:
        color = self.paints[str(spec.color)]
        low = 0.0 if spec.pose == "standing" else self.height_mm / 2
        if self.bevel_mm:
            outline = self.outline - (0.0, low)
            body = rounded_prism(outline, self.thick_mm, self.bevel_mm, color, color * self.side)
        else:
            body = prism(self.outline - (0.0, low), self.thick_mm, color, color * self.side)
        if spec.pose == "standing":
            return placed(body, upright(spec.turn_deg), origin)
        return placed(body, flat(spec.turn_deg), origin + np.array([0, 0, self.thick_mm / 2]))

    def _hut(self, spec: PieceSpec, origin: F64) -> list[Face]:
        color = self.paints[str(spec.color)]
        body = prism(self.hut, self.hut_long_mm, color, color * np.float32(0.95))
        if spec.pose == "standing":
            return placed(body, upright(spec.turn_deg), origin)
        body = prism(self.hut - (0, self.hut_mm / 2), self.hut_long_mm, color)
        return placed(body, flat(spec.turn_deg), origin + np.array([0, 0, self.hut_long_mm / 2]))

    def _ranger(self, spec: PieceSpec, origin: F64) -> list[Face]:
        white = self.paints["white"]
        k, axes = self.jeep_scale, upright(spec.turn_deg)
        out: list[Face] = []

        def add(outline: F64, thick: float, color: F32, shift: tuple[float, float, float]) -> None:
            here = origin + np.array(shift) @ axes
            out.extend(placed(prism(outline, thick, color), axes, here))

        if self.jeep_kind == 0:  # a flat wooden silhouette with wheels cut in one piece
            wheels = [disc(2.6, 10) * k + (x * k, 2.6 * k) for x in (-7.0, 7.0)]
            for wheel in wheels:
                add(wheel, self.jeep_thick_mm, white, (0, 0, 0))
            add(self.jeep * k, self.jeep_thick_mm, white, (0, 0, 0))
            return out
        for x in (-7.2, 7.2):
            for z in (-4.6, 4.6):
                add(disc(2.9, 10) * k, 2.4 * k, np.full(3, self.dark), (x * k, 2.9 * k, z * k))
        if self.jeep_kind == 1:
            add(self.jeep * k, 11.0 * k, white, (0, 0, 0))
            band = np.array([(-9.3, 8.0), (3.4, 8.0), (2.0, 11.0), (-8.6, 11.0)], np.float64)
            add(band * k, 11.3 * k, self.window, (0, 0, 0))
            return out
        low = np.array([(-12, 2.4), (12, 2.4), (12, 7.2), (-12, 7.2)], np.float64)
        cab = np.array([(-9, 7.2), (3.5, 7.2), (2.5, 12.4), (-8.6, 12.4)], np.float64)
        add(low * k, 11.5 * k, white, (0, 0, 0))
        add(cab * k, 10.4 * k, self.window, (0, 0, 0))
        roof = np.array([(-9.2, 11.6), (3.2, 11.6), (2.9, 12.8), (-9.0, 12.8)], np.float64)
        add(roof * k, 11.0 * k, white, (0, 0, 0))
        return out
