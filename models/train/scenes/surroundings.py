"""Surroundings of the board: falloff of the light, glare, the table's edge, people."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera
from models.train.scenes.layout import Layout
from models.train.scenes.lights import Lamp, Lights, Shadows
from models.train.scenes.tabletops import octave, paint_table

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


def somebodys_shadow(rng: np.random.Generator, shadows: Shadows, size_wh: tuple[int, int]) -> None:
    """A big soft shadow from the rim, of a person or a lampshade."""
    w, h = size_wh
    w, h = w // 2, h // 2
    small = np.ones((45, 80), np.float32)
    c = (int(rng.integers(-10, 90)), int(rng.choice([-8, 52])))
    cv2.ellipse(
        small,
        c,
        (int(rng.integers(12, 50)), int(rng.integers(8, 30))),
        float(rng.uniform(0, 180)),
        0,
        360,
        float(rng.uniform(0.2, 0.8)),
        -1,
    )
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(1.0, 6)))
    big = np.asarray(cv2.resize(soft, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)
    for f in shadows.lamp:
        f *= big
    shadows.sky *= np.sqrt(np.maximum(big, 0))


def end_of_table(rng: np.random.Generator, layout: Layout, gx: F32, gy: F32, light: F32) -> None:
    """Sometimes the table ends in view: beyond it the floor, or the far room."""
    far = np.maximum(np.abs(gx), np.abs(gy)) > 6000
    if far.any():
        light[far] = float(rng.uniform(0.02, 0.5))
    if rng.random() > 0.35:
        return
    c = layout.centres_mm()
    mid = c.mean(0)
    reach = float(np.max(np.linalg.norm(c - mid, axis=1))) + 45
    for _ in range(int(rng.integers(1, 3))):
        a = float(rng.uniform(0, 2 * math.pi))
        off = reach + float(rng.uniform(20, 400))
        d = (gx - mid[0]) * math.cos(a) + (gy - mid[1]) * math.sin(a) - off
        beyond = d > 0
        if beyond.any():
            floor = paint_table(rng, gx * 0.5, gy * 0.5) * np.float32(rng.uniform(0.15, 0.9))
            soft = cv2.GaussianBlur(floor, (0, 0), 2.5)
            light[beyond] = soft[beyond]
            light[(d > -float(rng.uniform(1, 6))) & ~beyond] *= np.float32(rng.uniform(0.4, 1.5))


def places_in_view(rng: np.random.Generator, gx: F32, gy: F32, n: int) -> F64:
    """Places on the table that are in view, (n, 2) mm."""
    h, w = gx.shape
    ys, xs = rng.integers(0, h, n), rng.integers(0, w, n)
    return np.stack([gx[ys, xs], gy[ys, xs]], -1).astype(np.float64)


def falloff(lights: Lights, gx: F32, gy: F32) -> list[F32]:
    """Each lamp's strength over the table, half-size fields."""
    h, w = gx.shape[0] // 2, gx.shape[1] // 2
    _, small = lights.floor(gx[::8, ::8], gy[::8, ::8])
    return [np.asarray(cv2.resize(f, (w, h), interpolation=cv2.INTER_LINEAR), np.float32) for f in small]


def light_on(lights: Lights, falls: list[F32], shade: list[F32], sky: F32, size_wh: tuple[int, int]) -> F32:
    """Light that reaches a plane, (H, W, 3), from half-size fields."""
    planes = []
    for c in range(3):
        out = sky * lights.ambient[c]
        for lamp, fall, s in zip(lights.lamps, falls, shade, strict=True):
            way = lamp.place_mm / np.linalg.norm(lamp.place_mm)
            out += (fall * s) * np.float32(float(lamp.color[c]) * max(0.3, float(way[2])))
        planes.append(out)
    return np.asarray(cv2.resize(cv2.merge(planes), size_wh, interpolation=cv2.INTER_LINEAR), np.float32)


def glare(camera: Camera, lamp: Lamp, gx: F32, gy: F32, rng: np.random.Generator) -> F32:
    """Mirror image of a lamp on the table plane, (H, W) float32."""
    h, w = gx.shape
    x, y = gx[::8, ::8].astype(np.float64), gy[::8, ::8].astype(np.float64)
    p = np.stack([x, y, np.zeros_like(x)], -1)
    a = lamp.place_mm - p
    b = camera.centre_mm - p
    half = a / np.linalg.norm(a, axis=-1, keepdims=True) + b / np.linalg.norm(b, axis=-1, keepdims=True)
    nz = half[..., 2] / np.linalg.norm(half, axis=-1)
    power = float(np.exp(rng.uniform(math.log(20), math.log(1200))))
    s = (np.clip(nz, 0, 1) ** power * float(rng.uniform(0.5, 3.0))).astype(np.float32)
    big = np.asarray(cv2.resize(s, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)
    return np.maximum(big * (1 + 0.1 * octave(rng, gx, gy, 60, 2)), 0).astype(np.float32)
