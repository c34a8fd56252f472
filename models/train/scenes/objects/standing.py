"""Standing pieces: from the layout to solids at their places."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.layout import Layout, PieceSpec, TileSpec
from models.train.scenes.objects.clutter import Clutter, clear_of_board
from models.train.scenes.objects.shapes import PieceSet
from models.train.scenes.objects.solids import Solid

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Stood:
    """One piece in its place: solid is None for tokens; at_mm (3,) is where it touches; floor_mm is the
    height of what it stands on."""

    spec: PieceSpec
    solid: Solid | None
    at_mm: F64
    floor_mm: float


def stand_pieces(layout: Layout, pieces: PieceSet, rng: np.random.Generator) -> list[Stood]:
    """Every piece in its place, those on top of others last."""
    where = {t.cell: t for t in layout.tiles}
    out: list[Stood] = []
    for spec in layout.pieces:
        floor = 0.0 if spec.cell is None or spec.cell not in where else layout.thick_mm
        xy = np.array(spec.xy_mm)
        if spec.cell is not None:
            du, dv = spec.uv[0] - 0.5, spec.uv[1] - 0.5
            tile = where.get(spec.cell)
            if tile is not None:
                a = math.radians(tile.turn_deg)
                c, s = math.cos(a) * layout.tile_mm, math.sin(a) * layout.tile_mm
                xy = np.array(tile.centre_mm) + np.array([du * c - dv * s, du * s + dv * c])
            else:
                xy = _empty_cell(spec.cell, where, layout) + np.array([du, dv]) * layout.pitch_mm
        base = floor + spec.level_mm
        at = np.array([xy[0], xy[1], base])
        solid = None if spec.kind == "token" else pieces.solid(spec, at, rng)
        out.append(Stood(spec, solid, at, base))
    return sorted(out, key=lambda p: p.spec.level_mm)


def _empty_cell(cell: tuple[int, int], where: dict[tuple[int, int], TileSpec], layout: Layout) -> F64:
    """Centre of an empty space, as its neighbours would have it."""
    votes = []
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        t = where.get((cell[0] + dx, cell[1] + dy))
        if t is not None:
            votes.append(np.array(t.centre_mm) - np.array([dx, dy]) * layout.pitch_mm)
    return np.asarray(np.mean(votes, axis=0) if votes else np.array(cell) * layout.pitch_mm)


def with_spares(rng: np.random.Generator, layout: Layout, clutter: Clutter, places: F64) -> Layout:
    """Some pieces of the supply beside the board."""
    if not layout.pieces or rng.random() > 0.5:
        return layout
    colors = [p.color for p in layout.pieces if p.color and p.kind != "ranger"] or ["red"]
    taken = [(p.xy_mm[0], p.xy_mm[1], 14.0) for p in layout.pieces] + list(clutter.spots_mm)
    out = list(layout.pieces)
    for x, y in places[: int(rng.integers(1, 14))]:
        if not clear_of_board(layout, x, y, 14) or any(
            math.hypot(x - a, y - b) < 11 + c for a, b, c in taken
        ):
            continue
        taken.append((x, y, 4.0))
        pose = "standing" if rng.random() < 0.5 else "lying"
        kind = "hut" if rng.random() < 0.2 else "meeple"
        color = str(rng.choice(colors))
        out.append(PieceSpec(kind, color, pose, None, (0.5, 0.5), (x, y), float(rng.uniform(0, 360))))
    return replace(layout, pieces=tuple(out))


def foot(solid: Solid) -> F64:
    """The footprint of a solid: the hull of its lowest points (n, 3)."""
    pts = solid.cloud_mm
    low = pts[pts[:, 2] < pts[:, 2].min() + 0.4]
    hull = cv2.convexHull(low[:, :2].astype(np.float32)).reshape(-1, 2)
    return np.asarray(np.c_[hull.astype(np.float64), np.full(len(hull), pts[:, 2].min())], np.float64)
