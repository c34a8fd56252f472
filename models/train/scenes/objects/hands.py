"""Hands over the board: capsules in skin tone, with a forearm and perhaps a sleeve."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera
from models.train.scenes.lights import Lights, Shadows
from models.train.scenes.objects.solids import Canvas

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

Capsule = tuple[F64, F64, float, float, F32]  # from, to (world mm), radii at both ends, albedo
LAYERS = 7
SLEEVE_MM = 20.0  # a capsule thicker than this that is not skin is a sleeve


def random_hand(rng: np.random.Generator, at_mm: F64, from_deg: float, height_mm: float) -> list[Capsule]:
    """A hand whose fingertips reach at_mm (2,), its arm coming from a direction (0 = east)."""
    tone = float(rng.uniform(0, 1)) ** 1.3
    light, dark = np.array([0.52, 0.66, 0.92]), np.array([0.10, 0.16, 0.28])
    skin = ((light + (dark - light) * tone) * rng.uniform(0.85, 1.05, 3)) ** 2.2
    skin = np.clip(skin, 0.01, 1).astype(np.float32)
    t = math.radians(from_deg)
    back = np.array([math.cos(t), math.sin(t), 0.0])
    side = np.array([-back[1], back[0], 0.0]) * float(rng.choice([-1.0, 1.0]))
    size = float(rng.uniform(0.85, 1.15))
    up = np.array([0, 0, 1.0])
    tip = np.array([at_mm[0], at_mm[1], height_mm])
    curl = float(rng.uniform(0.0, 1.0))
    spread = float(rng.uniform(0.4, 1.3))
    out: list[Capsule] = []
    knuckle0 = tip + back * (70 - 20 * curl) * size + up * (18 + 26 * curl)
    for k, (off, length) in enumerate([(-1.5, 0.82), (-0.5, 1.0), (0.5, 1.04), (1.5, 0.95)]):
        bend = curl if rng.random() < 0.75 else float(rng.uniform(0, 1))
        kn = knuckle0 + side * off * 19 * size
        end = tip + side * off * (8 + 10 * spread) * size + back * (1 - length) * 60
        end = end + back * bend * 12 + up * abs(float(rng.normal(0, 4)))
        mid = 0.5 * (kn + end) + up * (8 + 14 * bend) + side * off * 2
        r = (8.6 if k else 7.4) * size
        out.append((kn, mid, r * 1.1, r, skin))
        out.append((mid, end, r, r * 0.82, skin))
        nail = end - back * 1.5 + up * r * 0.55
        out.append((nail, nail - back * 3, r * 0.36, r * 0.33, np.clip(skin * 1.25 + 0.05, 0, 1)))
    palm = knuckle0 + back * 45 * size
    for off in (-1.4, -0.5, 0.5, 1.4):
        a = knuckle0 + side * off * 19 * size
        out.append((palm + side * off * 14 * size + back * 22, a, 13 * size, 10.5 * size, skin))
    thumb0, thumb1 = palm - side * 30 * size + back * 15, tip - side * 34 * spread * size + back * 24
    out.append((thumb0, 0.5 * (thumb0 + thumb1) - side * 8, 12 * size, 10.5 * size, skin))
    out.append((0.5 * (thumb0 + thumb1) - side * 8, thumb1, 10.5 * size, 8.2 * size, skin))
    wrist = palm + back * 45 * size + up * 6
    drift = side * float(rng.normal(0, 40)) + up * float(rng.uniform(0, 60))
    elbow = wrist + back * 300 + drift
    out.append((palm + back * 15, wrist, 24 * size, 22 * size, skin))
    out.append((wrist, elbow, 24 * size, 38 * size, skin))
    if rng.random() < 0.5:
        cloth = (rng.uniform(0.02, 1.0, 3) ** 2.2).astype(np.float32)
        cuff = wrist + (elbow - wrist) * float(rng.uniform(0.02, 0.6))
        out.append((cuff, elbow, 31 * size, 48 * size, cloth))
    return out


def cast_hand(shadows: Shadows, hand: list[Capsule], floor_mm: float) -> None:
    """The hand's shadow on the table."""
    ring = np.arange(8) * math.pi / 4
    for a, b, ra, rb, _ in hand:
        cloud = np.concatenate(
            [p + np.stack([r * np.cos(ring), r * np.sin(ring), 0 * ring], -1) for p, r in ((a, ra), (b, rb))]
        )
        cloud[:, 2] = np.maximum(cloud[:, 2], floor_mm + 1)
        shadows.cast(cloud, floor_mm)


def draw_hand(
    canvas: Canvas, camera: Camera, hand: list[Capsule], lights: Lights, rng: np.random.Generator
) -> None:
    """Draw the capsules far to near, each rounded by nested, ever lighter hulls."""
    h, w = canvas.owner.shape
    col = np.zeros((h, w, 3), np.float32)
    mask = np.zeros((h, w), np.uint8)
    eye = camera.centre_mm
    top = sum((lamp.color for lamp in lights.lamps), np.zeros(3, np.float32)) + lights.ambient
    lean = np.zeros(2)
    if lights.lamps:
        a, b, *_ = hand[0]
        way = lights.lamps[0].place_mm - a
        q = camera.project(np.stack([a, a + 10 * way / np.linalg.norm(way)]))
        lean = (q[1] - q[0]) / max(1.0, float(np.linalg.norm(q[1] - q[0])))
    ring = np.stack([np.cos(np.arange(20) * math.pi / 10), np.sin(np.arange(20) * math.pi / 10)], -1)
    thin = 1e9
    near = [c for c in hand if camera.depth(c[0]) > 80 and camera.depth(c[1]) > 80]
    near.sort(key=lambda c: -float(np.linalg.norm((c[0] + c[1]) / 2 - eye)))
    flat = [(camera.project(c[0]), camera.project(c[1])) for c in near]
    # Layer by layer, so that joints flow into each other; a sleeve comes over the finished arm.
    for cloth in (False, True):
        for k in range(LAYERS):
            for (a, b, ra, rb, albedo), (pa, pb) in zip(near, flat, strict=True):
                if (albedo is not hand[0][4] and ra > SLEEVE_MM) != cloth:
                    continue
                qa, qb = ra * camera.px_per_mm(a), rb * camera.px_per_mm(b)
                thin = min(thin, qa)
                s = 1 - k / (LAYERS + 0.5)
                shift = lean * (0.28 * k / LAYERS)
                pts = np.concatenate([pa + shift * qa + ring * qa * s, pb + shift * qb + ring * qb * s])
                hull = cv2.convexHull(np.round(pts * 8).astype(np.int32))
                lit = albedo * top * np.float32(0.5 + 0.45 * (k / (LAYERS - 1)) ** 0.6)
                cv2.fillConvexPoly(col, hull, tuple(float(v) for v in lit), cv2.LINE_8, 3)
                if k == 0:
                    cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, 3)
    if not mask.any():
        return
    x0, y0, bw, bh = cv2.boundingRect(mask)
    col, mask = col[y0 : y0 + bh, x0 : x0 + bw], mask[y0 : y0 + bh, x0 : x0 + bw]
    sigma = float(np.clip(thin * 0.22, 0.5, 7))
    soft = cv2.GaussianBlur(np.dstack([col, (mask > 0).astype(np.float32)]), (0, 0), sigma)
    col = (soft[..., :3] / np.maximum(soft[..., 3:], 0.05)).astype(np.float32)
    g = rng.standard_normal((bh // 3 + 2, bw // 3 + 2)).astype(np.float32)
    pores = np.asarray(cv2.resize(g, (bw, bh), interpolation=cv2.INTER_LINEAR), np.float32)
    col *= (1 + np.float32(0.05) * pores)[..., None]
    canvas.blend(x0, y0, np.asarray(col, np.float32), np.asarray(mask / 255.0, np.float32), -1)
