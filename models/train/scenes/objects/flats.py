"""Flat printed objects (tiles, tokens, cards): their faces, their sides, their place."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera
from models.train.scenes.layout import Layout, PieceSpec, TileSpec
from models.train.scenes.lights import Lights
from models.train.scenes.objects.clutter import Slab
from models.train.scenes.objects.solids import Canvas

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

_DECODE = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)


def tile_quad(t: TileSpec, layout: Layout) -> F64:
    """World corners (4, 3) of a tile's upper face, board nw ne se sw."""
    a = math.radians(t.turn_deg)
    c, s = math.cos(a), math.sin(a)
    pts = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (layout.tile_mm / 2)
    xy = pts @ np.array([[c, s], [-s, c]]) + t.centre_mm
    return np.asarray(np.c_[xy, np.full(4, layout.thick_mm)], np.float64)


def token_quad(spec: PieceSpec, layout: Layout, at: F64) -> F64:
    """World corners (4, 3) of a token's upper face."""
    side = layout.token_mm
    a = math.radians(spec.turn_deg)
    c, s = math.cos(a), math.sin(a)
    pts = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (side / 2)
    return np.asarray(np.c_[pts @ np.array([[c, s], [-s, c]]) + at[:2], np.full(4, at[2] + 2.0)], np.float64)


def token_outline(shape: str) -> F64:
    """The outline (n, 2) of a token in its picture's square, nw to se (0, 0) to (1, 1), clockwise."""
    if shape == "quarter":
        arc = np.linspace(0.0, math.pi / 2, 13)
        round_part = np.stack([0.92 - 0.92 * np.cos(arc), 0.92 - 0.92 * np.sin(arc)], axis=1)
        return np.concatenate([round_part, [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]])
    if shape == "front":  # a square with a point at its north, as the house edition's animals have it
        return np.array([(0.5, 0.0), (1.0, 0.34), (1.0, 1.0), (0.0, 1.0), (0.0, 0.34)])
    if shape == "disc":
        turn = np.linspace(0.0, 2 * math.pi, 33)[:-1]
        return np.stack([0.5 + 0.5 * np.cos(turn), 0.5 + 0.5 * np.sin(turn)], axis=1)
    return np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def on_quad(unit: F64, quad: F64) -> F64:
    """Points (n, 2) of the unit square on a flat square in the world with corners (4, 3) nw ne se sw."""
    u, v = unit[:, :1], unit[:, 1:]
    return np.asarray(quad[0] + u * (quad[1] - quad[0]) + v * (quad[3] - quad[0]), np.float64)


def mip_chains(faces: NDArray[np.uint8]) -> list[list[U8]]:
    """Each face and its halvings down to about 24 px."""
    out = []
    for f in faces:
        chain = [np.asarray(f, np.uint8)]
        while chain[-1].shape[0] > 24:
            n = chain[-1].shape[0] // 2
            chain.append(np.asarray(cv2.resize(chain[-1], (n, n), interpolation=cv2.INTER_AREA), np.uint8))
        out.append(chain)
    return out


def rounded(quad: F64, round_mm: float) -> F64:
    """The quad with its corners rounded off, (n, 3)."""
    if round_mm <= 0:
        return quad
    out = []
    for k in range(4):
        p, a, b = quad[k], quad[k - 1], quad[(k + 1) % 4]
        da, db = (a - p) / np.linalg.norm(a - p), (b - p) / np.linalg.norm(b - p)
        out += [p + da * round_mm, p + (da + db) * round_mm * 0.3, p + db * round_mm]
    return np.array(out)


def draw_face(
    canvas: Canvas,
    camera: Camera,
    own: F64,
    chain: list[U8],
    lit: F32,
    gleam: F32,
    owner: int,
    round_mm: float,
    rim: float,
    gain: np.float32,
    outline_mm: F64 | None = None,
) -> None:
    """A printed face on a flat thing. own (4, 3): world corners of the picture's nw ne se sw; what lies
    outside outline_mm (n, 3) is cut away."""
    q = camera.project(own)
    rim_px = camera.project(rounded(own, round_mm) if outline_mm is None else outline_mm)
    h, w = canvas.owner.shape
    lo, hi = np.floor(q.min(0)).astype(int) - 1, np.ceil(q.max(0)).astype(int) + 2
    a, b, c, d = max(0, int(lo[0])), max(0, int(lo[1])), min(w, int(hi[0])), min(h, int(hi[1]))
    if a >= c or b >= d:
        return
    side = float(np.mean(np.linalg.norm(np.roll(q, -1, 0) - q, axis=1)))
    tex = chain[0]
    for t in chain:
        if t.shape[0] >= 0.85 * side:
            tex = t
    n, m = tex.shape[:2]
    src = np.array([(0, 0), (m, 0), (m, n), (0, n)], np.float32) - np.float32(0.5)
    hom = cv2.getPerspectiveTransform(src, (q - (a, b)).astype(np.float32))
    if rim:
        tex = tex.copy()
        e = max(1, round(n * 0.012))
        for strip in (tex[:e], tex[-e:], tex[:, :e], tex[:, -e:]):
            strip[:] = np.clip(strip * (1 + rim) + (40 if rim > 0 else 0), 0, 255).astype(np.uint8)
    face = cv2.warpPerspective(
        tex, hom, (c - a, d - b), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = np.zeros((d - b, c - a), np.uint8)
    cv2.fillPoly(mask, [np.round((rim_px - (a, b)) * 256).astype(np.int32)], 255, cv2.LINE_AA, 8)
    col = _DECODE[face] * lit[b:d, a:c] + gleam[b:d, a:c] * gain
    canvas.blend(a, b, np.asarray(col, np.float32), np.asarray(mask / 255.0, np.float32), owner)


def draw_sides(
    canvas: Canvas,
    camera: Camera,
    quad: F64,
    height_mm: float,
    core: F32,
    lights: Lights,
    owner: int | None = None,
) -> None:
    """The side faces of a flat thing that the eye can see. quad (n, 3): its upper face, clockwise."""
    eye = camera.centre_mm
    for k in range(len(quad)):
        p, r = quad[k], quad[(k + 1) % len(quad)]
        e = r - p
        normal = np.array([e[1], -e[0], 0.0]) / max(1e-9, math.hypot(e[0], e[1]))
        if float((eye - p) @ normal) <= 0:
            continue
        drop = np.array([0, 0, height_mm])
        pts = camera.project(np.stack([p, r, r - drop, p - drop]))
        lo, hi = np.floor(pts.min(0)).astype(int) - 1, np.ceil(pts.max(0)).astype(int) + 2
        if (hi - lo).max() > 4000 or (hi - lo).min() < 1:
            continue
        mask = np.zeros((hi[1] - lo[1], hi[0] - lo[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round((pts - lo) * 256).astype(np.int32), 255, cv2.LINE_AA, 8)
        lit = lights.shade(core, normal, (p + r) / 2, eye, 0.0) * np.float32(0.6)
        col = np.broadcast_to(lit, (*mask.shape, 3)).astype(np.float32)
        canvas.blend(int(lo[0]), int(lo[1]), col, np.asarray(mask / 255.0, np.float32), owner)


def draw_slab(
    canvas: Canvas, camera: Camera, slab: Slab, lit: F32, gleam: F32, owner: int, lights: Lights
) -> None:
    """A printed thing with its sides; owner as in Canvas."""
    if camera.depth(slab.corners_mm).min() < 100:
        return
    if slab.thick_mm > 0.5:
        draw_sides(canvas, camera, slab.corners_mm, slab.thick_mm, slab.side, lights, owner)
    chain = [slab.picture]
    for _ in range(2):
        half = cv2.resize(chain[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        chain.append(np.asarray(half, np.uint8))
    draw_face(canvas, camera, slab.corners_mm, chain, lit, gleam, owner, slab.round_mm, 0.0, np.float32(0.5))
