"""Clutter beside the board: cards, paper, boxes, coins, cups, pens, stacks and face-down tiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.layout import Layout
from models.train.scenes.objects.shapes import disc
from models.train.scenes.objects.solids import Face, Solid, flat, placed, prism
from models.train.scenes.tabletops import motif

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]


@dataclass(frozen=True)
class Slab:
    """A flat printed thing. corners_mm (4, 3) world nw ne se sw of its upper face, picture linear BGR
    uint8 sRGB (n, m, 3), thick_mm its height over the table, side linear BGR."""

    corners_mm: F64
    picture: U8
    thick_mm: float
    side: F32
    round_mm: float = 0.0


@dataclass(frozen=True)
class Clutter:
    """slabs lie flat (drawn before the board), solids stand up (drawn by distance)."""

    slabs: tuple[Slab, ...]
    solids: tuple[Solid, ...]
    spots_mm: tuple[tuple[float, float, float], ...]


def clear_of_board(layout: Layout, x: float, y: float, radius: float) -> bool:
    """Whether a disc on the table keeps away from every tile."""
    d = np.maximum(np.abs(layout.centres_mm() - (x, y)) - layout.tile_mm / 2, 0)
    return bool(np.min(np.hypot(d[:, 0], d[:, 1])) > radius)


def _quad(x: float, y: float, w: float, h: float, turn: float, z: float) -> F64:
    c, s = math.cos(turn), math.sin(turn)
    pts = np.array([(-w, -h), (w, -h), (w, h), (-w, h)]) / 2
    return np.asarray(np.c_[pts @ np.array([[c, s], [-s, c]]) + (x, y), np.full(4, z)], np.float64)


def _paper(rng: np.random.Generator) -> U8:
    """A sheet: text lines, ruled or squared, or a printed page."""
    w, h = 180, 250
    tone = int(rng.integers(190, 256))
    img = np.full((h, w, 3), (tone - int(rng.integers(0, 25)), tone, tone), np.uint8)
    ink = [int(v) for v in rng.integers(0, 120, 3)]
    kind = int(rng.integers(3))
    if kind == 0:
        for y in range(15, h - 12, int(rng.integers(6, 12))):
            x = 12
            while x < w - 20:
                n = int(rng.integers(3, 16))
                cv2.line(img, (x, y), (min(x + n, w - 12), y), ink, 2)
                x += n + 4
    elif kind == 1:
        p = int(rng.integers(5, 14))
        img[::p] = (img[::p] * 0.8).astype(np.uint8)
        if rng.random() < 0.5:
            img[:, ::p] = (img[:, ::p] * 0.8).astype(np.uint8)
    else:
        img[20:120, 15 : w - 15] = cv2.resize(motif(rng, 128), (w - 30, 100))
    return img


def random_clutter(
    rng: np.random.Generator,
    layout: Layout,
    faces: NDArray[np.uint8],
    places_mm: F64,
    amount: float,
) -> Clutter:
    """Clutter at some of the offered places (n, 2) mm. amount 0..1."""
    slabs: list[Slab] = []
    solids: list[Solid] = []
    spots: list[tuple[float, float, float]] = []
    back = motif(rng, 96) if rng.random() < 0.7 else np.full((96, 96, 3), rng.integers(0, 256, 3), np.uint8)
    side = np.full(3, float(rng.uniform(0.05, 0.6)), np.float32)

    def room(x: float, y: float, r: float) -> bool:
        if not clear_of_board(layout, x, y, r + 7):
            return False
        if any(math.hypot(x - a, y - b) < r + c for a, b, c in spots):
            return False
        spots.append((x, y, r))
        return True

    n = int(rng.poisson(7 * amount))
    k = 0
    names = ["card", "paper", "facedown", "faceup", "stack", "box", "coin", "cup", "pen", "phone", "dice"]
    weights = np.array([2.0, 1.0, 1.6, 1.0, 1.8, 1.0, 1.2, 1.0, 1.0, 0.5, 0.7])
    for _ in range(n):
        if k + 6 >= len(places_mm):
            break
        kind = names[int(rng.choice(len(names), p=weights / weights.sum()))]
        turn = float(rng.uniform(0, 2 * math.pi))
        t = layout.tile_mm
        for _try in range(5):
            x, y = (float(v) for v in places_mm[k])
            k += 1
            radius = {"card": 55, "paper": 150, "box": 70, "phone": 85, "cup": 45, "pen": 70}.get(kind, 34)
            if room(x, y, radius * 0.95):
                break
        else:
            continue
        if kind == "card":
            w, h = (63.0, 88.0) if rng.random() < 0.6 else (44.0, 68.0)
            pic = motif(rng, 96) if rng.random() < 0.5 else faces[int(rng.integers(len(faces)))].copy()
            edge = int(rng.integers(2, 9))
            pic = cv2.copyMakeBorder(pic, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(245, 245, 245))
            for i in range(int(rng.integers(1, 4))):
                z = 0.4 * (i + 1)
                q = _quad(x + 14 * i, y + 9 * i, w, h, turn + 0.2 * i, z)
                slabs.append(Slab(q, np.asarray(pic, np.uint8), z, side, 3.0))
        elif kind == "paper":
            f = float(rng.uniform(0.5, 1.0))
            slabs.append(Slab(_quad(x, y, 210 * f, 297 * f, turn, 0.2), _paper(rng), 0.2, side))
        elif kind in ("facedown", "faceup"):
            pic = back if kind == "facedown" else faces[int(rng.integers(len(faces)))]
            slabs.append(Slab(_quad(x, y, t, t, turn, layout.thick_mm), pic, layout.thick_mm, side))
        elif kind == "stack":
            high = layout.thick_mm * int(rng.integers(2, 22))
            pic = back if rng.random() < 0.8 else faces[int(rng.integers(len(faces)))]
            slabs.append(Slab(_quad(x, y, t, t, turn, high), pic, high, side))
        elif kind == "phone":
            pic = np.full((64, 32, 3), rng.integers(0, 40), np.uint8)
            slabs.append(Slab(_quad(x, y, 72, 148, turn, 8), pic, 8.0, side * 0.2, 8.0))
        elif kind == "box":
            w, h, z = rng.uniform(40, 90), rng.uniform(30, 80), rng.uniform(15, 60)
            slabs.append(
                Slab(_quad(x, y, float(w), float(h), turn, float(z)), motif(rng, 96), float(z), side)
            )
        elif kind == "dice":
            s = float(rng.uniform(10, 17))
            pic = np.full((40, 40, 3), rng.integers(0, 256, 3), np.uint8)
            for p in rng.integers(8, 33, (int(rng.integers(1, 6)), 2)):
                cv2.circle(pic, (int(p[0]), int(p[1])), 4, [int(v) for v in 255 - pic[0, 0]], -1, cv2.LINE_AA)
            slabs.append(
                Slab(_quad(x, y, s, s, turn, s), pic, s, (pic[0, 0] / 255.0).astype(np.float32) ** 2)
            )
        else:
            solids.append(_round_thing(rng, kind, x, y, turn))
    return Clutter(tuple(slabs), tuple(solids), tuple(spots))


def _round_thing(rng: np.random.Generator, kind: str, x: float, y: float, turn: float) -> Solid:
    """Coins, cups and pens."""
    col = (rng.uniform(0.05, 1, 3) ** 2.2).astype(np.float32)
    up = flat(0.0)
    if kind == "coin":
        r, h = float(rng.uniform(8, 14)), float(rng.uniform(1.5, 8))
        metal = np.array([0.25, 0.42, 0.55], np.float32) * np.float32(rng.uniform(0.5, 1.4))
        if rng.random() < 0.5:
            metal = col
        faces = placed(prism(disc(r, 28), h, metal), up, np.array([x, y, h / 2]))
        return Solid(tuple(faces), np.concatenate([f.points_mm for f in faces]), 0.5, 0.1)
    if kind == "cup":
        r, h = float(rng.uniform(26, 44)), float(rng.uniform(45, 110))
        faces = placed(prism(disc(r, 32), h, col), up, np.array([x, y, h / 2]))
        ring = np.c_[disc(r * 0.9, 32) + np.array([x, y]), np.full(32, h + 0.1)]
        drink = (np.array([0.02, 0.05, 0.12]) * rng.uniform(0.3, 5)).astype(np.float32)
        # The inside is drawn as a disc a little below the rim; near enough at this size.
        faces.append(Face(ring, np.clip(drink, 0, 1), np.array([0, 0, 1.0]), True))
        return Solid(tuple(faces), np.concatenate([f.points_mm for f in faces]), 0.4, 0.08)
    length, r = float(rng.uniform(90, 160)), float(rng.uniform(3.5, 6))
    c, s = math.cos(turn), math.sin(turn)
    axes = np.array([[-s, c, 0], [0, 0, 1.0], [c, s, 0]])
    faces = placed(prism(disc(r, 10), length, col), axes, np.array([x, y, r]))
    return Solid(tuple(faces), np.concatenate([f.points_mm for f in faces]), 0.4, 0.05)
