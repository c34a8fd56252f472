"""Lamps and daylight: shading of faces, gloss of solids, shadows on planes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Lamp:
    """A lamp: place_mm (3,) world, colour linear BGR, size_mm (its softness)."""

    place_mm: F64
    color: F32
    size_mm: float


@dataclass(frozen=True)
class Lights:
    """A room's light. ambient linear BGR."""

    lamps: tuple[Lamp, ...]
    ambient: F32

    def warmed(self, octaves: float) -> Lights:
        """Return this light with its blue weakened against its red by a number of octaves."""
        if not octaves:
            return self
        tint = np.array([2 ** (-octaves / 2), 1.0, 2 ** (octaves / 2)], np.float32)
        tint = tint / tint.mean()
        return Lights(
            tuple(replace(lamp, color=lamp.color * tint) for lamp in self.lamps), self.ambient * tint
        )

    def shade(self, albedo: F32, normal: F64, point_mm: F64, eye_mm: F64, gloss: float) -> F32:
        """The light that leaves a face towards the eye, linear BGR."""
        total = self.ambient * np.float32(0.62 + 0.38 * float(normal[2]))
        shine = np.zeros(3, np.float32)
        to_eye = eye_mm - point_mm
        to_eye = to_eye / np.linalg.norm(to_eye)
        for lamp in self.lamps:
            way = lamp.place_mm - point_mm
            way = way / np.linalg.norm(way)
            dot = float(normal @ way)
            soft = min(0.5, lamp.size_mm / 2500)
            total = total + lamp.color * np.float32(max(0.0, (dot + soft) / (1 + soft)))
            if gloss > 0 and dot > 0:
                half = way + to_eye
                half = half / np.linalg.norm(half)
                shine = shine + lamp.color * np.float32(gloss * max(0.0, float(half @ normal)) ** 24)
        return np.asarray(albedo * total + shine, np.float32)

    def floor(self, x: F32, y: F32) -> tuple[F32, list[F32]]:
        """Light on the table: (ambient (3,), per lamp a strength field (H, W))."""
        fields = []
        for lamp in self.lamps:
            px, py, pz = (float(v) for v in lamp.place_mm)
            d2 = (x - px) ** 2 + (y - py) ** 2 + pz * pz
            ref = px * px + py * py + pz * pz
            fields.append(((ref / d2) ** 1.5 * pz / math.sqrt(ref)).astype(np.float32))
        return self.ambient, fields


def warm_cold(rng: np.random.Generator) -> F32:
    """A light's colour, linear BGR, mean about 1: candle to overcast sky."""
    t = float(rng.normal(0, 0.17))
    g = float(rng.normal(0, 0.03))
    c = np.array([math.exp(t), math.exp(g), math.exp(-t)])
    return np.asarray(c / c.mean(), np.float32)


def random_lights(rng: np.random.Generator, centre_mm: F64, low: bool = False) -> Lights:
    """One to three lamps and a sky; from flat daylight to one hard lamp. With ``low`` it is one hard lamp
    beside the table, and every piece throws a long shadow."""
    n = 1 if low else int(rng.choice([1, 1, 2, 3]))
    hard = float(rng.uniform(0.6, 0.95) if low else rng.uniform(0.15, 0.9))
    lowest, highest = (14, 42) if low else (25, 88)
    lamps = []
    share = rng.dirichlet(np.full(n, 1.5))
    for k in range(n):
        az, el = float(rng.uniform(0, 2 * math.pi)), math.radians(float(rng.uniform(lowest, highest)))
        far = float(rng.uniform(500, 2600))
        way = np.array([math.cos(el) * math.cos(az), math.cos(el) * math.sin(az), math.sin(el)])
        place = np.array([centre_mm[0], centre_mm[1], 0.0]) + far * way
        color = warm_cold(rng) * np.float32(1.1 * hard * share[k])
        size = float(np.exp(rng.uniform(math.log(15), math.log(900))))
        lamps.append(Lamp(place, color, size))
    ambient = warm_cold(rng) * np.float32(1.0 - hard)
    return Lights(tuple(lamps), ambient)


class Shadows:
    """Share of each lamp's and the sky's light that reaches the table, per pixel."""

    def __init__(self, camera: Camera, lights: Lights, rng: np.random.Generator, samples: int = 5):
        # Half the picture's resolution: shadows are soft, and this is a quarter of the work.
        w, h = camera.size_wh[0] // 2, camera.size_wh[1] // 2
        self.camera, self.lights = camera, lights
        self.lamp = [np.ones((h, w), np.float32) for _ in lights.lamps]
        self.sky = np.ones((h, w), np.float32)
        self._offsets = []
        for lamp in lights.lamps:
            k = samples if lamp.size_mm > 40 else 3
            ang = rng.uniform(0, 2 * math.pi) + np.arange(k) * 2.399963
            rad = np.sqrt((np.arange(k) + 0.5) / k) * lamp.size_mm
            self._offsets.append(np.stack([rad * np.cos(ang), rad * np.sin(ang)], -1))

    def cast(self, cloud_mm: F64, floor_mm: float, convex: bool = True, strength: float = 1.0) -> None:
        """A thing's shadow onto the plane at floor_mm. cloud_mm (n, 3) world points.

        convex: the shadow is the hull of the projected points, else their polygon in order.
        """
        for lamp, offs, field in zip(self.lights.lamps, self._offsets, self.lamp, strict=True):
            polys = []
            for off in offs:
                place = lamp.place_mm + np.array([off[0], off[1], 0.0])
                rel = cloud_mm - place
                t = (floor_mm - place[2]) / np.minimum(rel[:, 2], -1e-3)
                land = place + rel * t[:, None]
                land[:, 2] = floor_mm
                q = self._half(land)
                if convex:
                    q = cv2.convexHull(q.astype(np.float32)).reshape(-1, 2).astype(np.float64)
                polys.append(q)
            self._dim(field, polys, strength, 0.4)

    def contact(self, ring_mm: F64, grow_px: float, strength: float) -> None:
        """Darkness of the sky close to a thing: its footprint (n, 3), softened by grow_px."""
        self._dim(self.sky, [self._half(ring_mm)], strength, grow_px / 2)

    def _half(self, points_mm: F64) -> F64:
        """World points to pixels of the half-size fields."""
        return np.asarray(self.camera.project(points_mm) / 2 - 0.25, np.float64)

    def _dim(self, field: F32, polys: list[F64], strength: float, blur_px: float) -> None:
        h, w = field.shape
        every = np.concatenate(polys)
        if not np.isfinite(every).all():
            return
        pad = int(3 * blur_px) + 2
        lo = np.floor(every.min(0)).astype(int) - pad
        hi = np.ceil(every.max(0)).astype(int) + pad
        a, b = max(0, int(lo[0])), max(0, int(lo[1]))
        c, d = min(w, int(hi[0])), min(h, int(hi[1]))
        if a >= c or b >= d or float((hi - lo).max()) > 8 * max(w, h):
            return
        acc = np.zeros((d - b, c - a), np.float32)
        one = np.zeros((d - b, c - a), np.uint8)
        for q in polys:
            one[:] = 0
            cv2.fillPoly(one, [np.round((q - (a, b)) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
            acc += one
        acc *= strength / (255.0 * len(polys))
        if len(polys) > 1:
            gap = max(float(np.abs(p.mean(0) - polys[0].mean(0)).max()) for p in polys)
            blur_px = max(blur_px, 0.35 * gap)
        k = 2 * int(2 * min(blur_px, 40.0)) + 3
        acc = np.asarray(cv2.GaussianBlur(acc, (k, k), blur_px), np.float32)
        field[b:d, a:c] *= 1 - np.minimum(acc, 1.0)
