"""Solids: prisms and boxes as lit polygons, drawn from far to near."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera
from models.train.scenes.lights import Lights

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Face:
    """One flat polygon. points_mm (n, 3) world, albedo linear BGR (3,), outward normal (3,)."""

    points_mm: F64
    albedo: F32
    normal: F64
    cap: bool = False


@dataclass(frozen=True)
class Solid:
    """A thing made of faces. gloss 0..1. cloud_mm (n, 3): points whose shadow is its shadow.
    grain: unevenness of its paint. edge: how much brighter the rims of its caps are. clear: share of the
    light behind it that it lets through."""

    faces: tuple[Face, ...]
    cloud_mm: F64
    gloss: float = 0.2
    grain: float = 0.05
    edge: float = 1.0
    clear: float = 0.0


def prism(outline_mm: F64, thick_mm: float, albedo: F32, side: F32 | None = None) -> list[Face]:
    """Extrude an outline (n, 2) in its own (a, b) plane to +-thick/2 along c.

    Local axes are (a, b, c); use `placed` to put it into the world.
    """
    side = albedo if side is None else side
    n = len(outline_mm)
    area = 0.5 * float(
        np.sum(
            outline_mm[:, 0] * np.roll(outline_mm[:, 1], -1)
            - outline_mm[:, 1] * np.roll(outline_mm[:, 0], -1)
        )
    )
    if area < 0:
        outline_mm = outline_mm[::-1]
    h = thick_mm / 2
    top = np.c_[outline_mm, np.full(n, h)]
    bot = np.c_[outline_mm, np.full(n, -h)]
    faces = [
        Face(top, albedo, np.array([0.0, 0.0, 1.0]), True),
        Face(bot[::-1], albedo, np.array([0.0, 0.0, -1.0]), True),
    ]
    for i in range(n):
        j = (i + 1) % n
        e = outline_mm[j] - outline_mm[i]
        length = math.hypot(e[0], e[1])
        if length < 1e-6:
            continue
        normal = np.array([e[1], -e[0], 0.0]) / length
        faces.append(Face(np.stack([bot[i], bot[j], top[j], top[i]]), side, normal))
    return faces


def rounded_prism(outline_mm: F64, thick_mm: float, bevel_mm: float, albedo: F32, side: F32) -> list[Face]:
    """As `prism`, with the rims of both caps cut off slantwise by ``bevel_mm``."""
    area = float(np.sum(outline_mm[:, 0] * np.roll(outline_mm[:, 1], -1)))
    area -= float(np.sum(outline_mm[:, 1] * np.roll(outline_mm[:, 0], -1)))
    points = outline_mm if area > 0 else outline_mm[::-1]
    ahead = np.roll(points, -1, axis=0) - points
    out = np.stack([ahead[:, 1], -ahead[:, 0]], -1)
    out = out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    mean = out + np.roll(out, 1, axis=0)
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    inner, h, low = points - bevel_mm * mean, thick_mm / 2, thick_mm / 2 - bevel_mm
    faces = [face for face in prism(points, 2 * low, albedo, side) if not face.cap]
    for sign in (1.0, -1.0):
        cap = np.c_[inner, np.full(len(inner), sign * h)]
        faces.append(Face(cap, albedo, np.array([0.0, 0.0, sign]), True))
        for k, normal in enumerate(out):
            j = (k + 1) % len(points)
            rim = np.concatenate(
                [np.c_[points[[k, j]], 2 * [sign * low]], np.c_[inner[[j, k]], 2 * [sign * h]]]
            )
            slant = np.array([*normal, sign]) / math.sqrt(2)
            faces.append(Face(rim, np.float32(0.5) * (albedo + side), slant))
    return faces


def placed(faces: list[Face], axes: F64, origin_mm: F64) -> list[Face]:
    """Local faces into the world: axes (3, 3), rows are where local a, b, c point."""
    return [Face(f.points_mm @ axes + origin_mm, f.albedo, f.normal @ axes, f.cap) for f in faces]


def upright(turn_deg: float) -> F64:
    """Axes of a shape that stands: a along the ground, b up, c its thickness."""
    t = math.radians(turn_deg)
    return np.array([[math.cos(t), math.sin(t), 0], [0, 0, 1.0], [math.sin(t), -math.cos(t), 0]])


def flat(turn_deg: float, face_down: bool = False) -> F64:
    """Axes of a shape that lies: a and b on the ground, c up."""
    t = math.radians(turn_deg)
    a = np.array([math.cos(t), math.sin(t), 0])
    b = np.array([math.sin(t), -math.cos(t), 0.0])
    return np.stack([-a if face_down else a, b, np.array([0, 0, 1.0])])


@dataclass
class Canvas:
    """The picture while it is being drawn.

    light: (H, W, 3) float32 linear BGR. owner: (H, W) int16, who shows at a pixel: 0 the table,
    1.. tiles, 2000.. pieces, -1 anything that covers.
    """

    light: F32
    owner: NDArray[np.int16]

    def blend(self, x0: int, y0: int, color: F32, alpha: F32, owner: int | None) -> None:
        """Lay a patch (h, w, 3) with alpha (h, w) at (x0, y0); clips at the rim."""
        h, w = self.owner.shape
        ph, pw = alpha.shape
        a, b, c, d = max(0, x0), max(0, y0), min(w, x0 + pw), min(h, y0 + ph)
        if a >= c or b >= d:
            return
        col = color[b - y0 : d - y0, a - x0 : c - x0]
        al = alpha[b - y0 : d - y0, a - x0 : c - x0]
        roi = self.light[b:d, a:c]
        roi += (col - roi) * al[..., None]
        if owner is not None:
            self.owner[b:d, a:c][al > 0.5] = owner


def draw_solid(
    canvas: Canvas,
    camera: Camera,
    solid: Solid,
    lights: Lights,
    owner: int,
    rng: np.random.Generator,
) -> tuple[float, tuple[float, float, float, float]] | None:
    """Draw one solid. Returns (its area in px, its bbox x0 y0 x1 y1), None when out of sight."""
    eye = camera.centre_mm
    seen = [f for f in solid.faces if float((eye - f.points_mm[0]) @ f.normal) > 0]
    if not seen:
        return None
    far = [float(np.linalg.norm(f.points_mm.mean(0) - eye)) - (1e4 if f.cap else 0) for f in seen]
    order = np.argsort(far)[::-1]
    pts = [camera.project(f.points_mm) for f in seen]
    every = np.concatenate(pts)
    lo, hi = every.min(0), every.max(0)
    h, w = canvas.owner.shape
    if hi[0] < 0 or hi[1] < 0 or lo[0] >= w or lo[1] >= h or float((hi - lo).max()) > 4 * max(w, h):
        return None
    x0, y0 = int(np.floor(lo[0])) - 1, int(np.floor(lo[1])) - 1
    pw, ph = int(np.ceil(hi[0])) + 2 - x0, int(np.ceil(hi[1])) + 2 - y0
    ss = 3 if max(pw, ph) < 400 else 1
    col = np.zeros((ph * ss, pw * ss, 3), np.float32)
    mask = np.zeros((ph * ss, pw * ss), np.uint8)
    for k in order:
        f = seen[int(k)]
        lit = lights.shade(f.albedo, f.normal, f.points_mm.mean(0), eye, solid.gloss)
        q = np.round((pts[int(k)] - (x0, y0)) * ss * 16).astype(np.int32)
        cv2.fillPoly(col, [q], tuple(float(v) for v in lit), cv2.LINE_8, 4)
        cv2.fillPoly(mask, [q], 255, cv2.LINE_8, 4)
        if f.cap and ss > 1:  # a worn edge catches the light
            rim = tuple(float(v) * solid.edge for v in lit)
            cv2.polylines(col, [q], True, rim, 2, cv2.LINE_8, 4)
    if ss > 1:
        col = np.asarray(cv2.resize(col, (pw, ph), interpolation=cv2.INTER_AREA), np.float32)
        mask = np.asarray(cv2.resize(mask, (pw, ph), interpolation=cv2.INTER_AREA), np.uint8)
    alpha = np.asarray(mask / 255.0, np.float32)
    paint = np.asarray(col / np.maximum(alpha, 1e-3)[..., None], np.float32)
    if solid.grain:
        g = rng.standard_normal((max(2, ph // 4), max(2, pw // 4))).astype(np.float32)
        g = np.asarray(cv2.resize(g, (pw, ph), interpolation=cv2.INTER_LINEAR), np.float32)
        tilt = rng.normal(0, solid.grain, 2)
        ramp = np.linspace(-1, 1, pw)[None] * tilt[0] + np.linspace(-1, 1, ph)[:, None] * tilt[1]
        paint = np.asarray(paint * np.clip(1 + solid.grain * g + ramp, 0.3, 2)[..., None], np.float32)
    if solid.clear:
        paint = _seen_through(canvas, (x0, y0), paint, alpha, solid, rng)
    canvas.blend(x0, y0, paint, alpha, owner)
    return float(alpha.sum()), (float(lo[0]), float(lo[1]), float(hi[0]), float(hi[1]))


def _seen_through(
    canvas: Canvas,
    at_xy: tuple[int, int],
    paint: F32,
    alpha: F32,
    solid: Solid,
    rng: np.random.Generator,
) -> F32:
    """The patch ``paint`` (h, w, 3) at ``at_xy`` of a thing of coloured glass: what lies behind it, shrunk as
    by a lens and tinted, darker at the rim, with the light that it gathers on one side."""
    ph, pw = alpha.shape
    h, w = canvas.owner.shape
    dye = solid.faces[0].albedo
    ys, xs = np.mgrid[0:ph, 0:pw].astype(np.float32)
    mx, my = np.float32(pw / 2), np.float32(ph / 2)
    bend = np.float32(rng.uniform(0.7, 1.6))
    there_x = np.clip(at_xy[0] + mx + bend * (xs - mx), 0, w - 1)
    there_y = np.clip(at_xy[1] + my + bend * (ys - my), 0, h - 1)
    behind = cv2.remap(canvas.light, there_x, there_y, cv2.INTER_LINEAR)
    thick = cv2.distanceTransform((alpha > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    inside = np.clip(thick / max(float(thick.max()), 1e-3), 0, 1)[..., None]
    tint = (dye / max(float(dye.max()), 1e-3)) ** np.float32(rng.uniform(0.4, 1.1))
    way = rng.uniform(0, 2 * math.pi)
    glow = ((xs - mx) / max(pw, 1) * math.cos(way) + (ys - my) / max(ph, 1) * math.sin(way))[..., None]
    lit = np.clip(1 + np.float32(rng.uniform(0.3, 1.8)) * glow, 0.3, 2.2) * (0.55 + 0.45 * inside)
    through = np.asarray(behind, np.float32) * tint * lit
    return np.asarray((1 - solid.clear) * paint + solid.clear * (through + 0.35 * paint), np.float32)
