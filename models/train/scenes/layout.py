"""Layout of a board: which tiles lie where on a connected lattice, laid by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Cell = tuple[int, int]

SIDES: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))


@dataclass(frozen=True)
class PieceSpec:
    """One piece to be drawn.

    kind: meeple | hut | ranger | token | other (a stand-in for a meeple). color: a name, None for tokens.
    pose: standing | lying. cell: the cell it stands on (None beside the board); uv: point inside the cell in
    the board frame (u east, v south, 0..1), or xy_mm where cell is None. turn_deg: its own direction.
    face: index of the token's picture. corner: ne se sw nw for a token on a tile corner.
    """

    kind: str
    color: str | None
    pose: str
    cell: Cell | None
    uv: tuple[float, float] = (0.5, 0.5)
    xy_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0
    face: int = 0
    corner: str | None = None
    animal: str | None = None
    feature: str | None = None
    level_mm: float = 0.0


@dataclass(frozen=True)
class TileSpec:
    """One laid tile: cell, rot (0 90 180 270 clockwise), face index, and how the hand left it."""

    cell: Cell
    rot: int
    face: int
    centre_mm: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0


@dataclass(frozen=True)
class Layout:
    """A whole table to draw. tile_mm: side of a tile; thick_mm: its height."""

    tiles: tuple[TileSpec, ...]
    pieces: tuple[PieceSpec, ...] = ()
    tile_mm: float = 45.0
    pitch_mm: float = 45.4
    thick_mm: float = 2.0
    token_mm: float = 18.0

    def centres_mm(self) -> F64:
        """(n, 2) tile centres in the world."""
        return np.array([t.centre_mm for t in self.tiles], np.float64)


def random_cells(rng: np.random.Generator, n: int) -> list[Cell]:
    """n connected cells: a full rectangle, a compact growth, or a straggly one with holes."""
    style = rng.random()
    if style < 0.15:
        w = max(1, round(math.sqrt(n) * float(rng.uniform(0.7, 1.4))))
        h = max(1, round(n / w))
        return [(x, y) for y in range(h) for x in range(w)]
    pull = float(rng.choice([0.0, 0.6, 1.5, 3.0]))
    stretch = float(rng.uniform(0.5, 2.0))
    cells: list[Cell] = [(0, 0)]
    taken = {(0, 0)}
    rim: dict[Cell, int] = dict.fromkeys(SIDES, 1)
    while len(cells) < n:
        options = list(rim)
        near = np.array([rim[c] for c in options], np.float64)
        far = np.array([math.hypot(c[0] * stretch, c[1] / stretch) for c in options])
        weight = near**pull * np.exp(-far / (1.2 + math.sqrt(n)))
        if style < 0.35:
            # A straggly board: cells with many neighbours are avoided, holes stay.
            weight = np.exp(-1.2 * near)
        cell = options[int(rng.choice(len(options), p=weight / weight.sum()))]
        del rim[cell]
        cells.append(cell)
        taken.add(cell)
        for dx, dy in SIDES:
            c = (cell[0] + dx, cell[1] + dy)
            if c not in taken:
                rim[c] = rim.get(c, 0) + 1
    return cells


def lay_by_hand(
    rng: np.random.Generator,
    cells: list[tuple[Cell, int, int]],
    tile_mm: float,
    neatness: float,
    fused: float = 0.0,
) -> tuple[tuple[TileSpec, ...], float]:
    """(cell, rot, face) to tiles as a hand leaves them; also the pitch in mm.

    neatness 0 is sloppy (gaps to 1.5 mm, turns to 2 degrees, drift), 1 exact. fused is the
    share of tiles that keep their east neighbour's own turn (long tiles of several cells).
    """
    loose = 1.0 - neatness
    gap = float(rng.uniform(0.05, 0.3 + 0.6 * loose))
    pitch = tile_mm + gap
    skew = np.deg2rad(rng.normal(0, 0.35 * loose, 2))
    wave = rng.normal(0, 1.0, (2, 2, 2))
    phase = rng.uniform(0, 2 * math.pi, (2, 2))
    period = rng.uniform(6, 16, (2, 2))
    out: list[TileSpec] = []
    memory: dict[Cell, tuple[float, float, float]] = {}
    for cell, rot, face in cells:
        cx, cy = cell
        x = cx * pitch * math.cos(skew[0]) - cy * pitch * math.sin(skew[1])
        y = cx * pitch * math.sin(skew[0]) + cy * pitch * math.cos(skew[1])
        for axis in (0, 1):
            ang = 2 * math.pi * np.array([cx, cy]) / period[axis] + phase[axis]
            swing = float(wave[axis, 0] @ np.sin(ang)) * 0.7 * loose
            x, y = (x + swing, y) if axis == 0 else (x, y + swing)
        jitter = np.clip(rng.normal(0, 0.28 * loose, 2), -0.6, 0.6)
        turn = float(np.clip(rng.normal(0, 0.65 * loose), -2, 2))
        left = memory.get((cx - 1, cy))
        if left is not None and rng.random() < fused:
            x, y, turn = left[0] + tile_mm * math.cos(math.radians(left[2])), left[1], left[2]
            y += tile_mm * math.sin(math.radians(left[2]))
        else:
            x, y = x + float(jitter[0]), y + float(jitter[1])
        memory[cell] = (x, y, turn)
        out.append(TileSpec(cell, rot, face, (x, y), turn))
    return tuple(out), pitch


def lay_in_turn(
    rng: np.random.Generator,
    cells: list[tuple[Cell, int, int]],
    tile_mm: float,
    slip: float,
    turn_deg: float,
) -> tuple[tuple[TileSpec, ...], float]:
    """(cell, rot, face) to tiles each laid beside those that lie already, and the pitch in mm.

    Nobody measures a lattice: a tile goes where its neighbours say on average, give or take ``slip`` of a
    side along each axis and ``turn_deg``, so that distant parts of a board drift and turn against each other.
    Cells come in an order in which each is beside an earlier one.
    """
    pitch = tile_mm * (1.0 + float(rng.uniform(0.005, 0.03)))
    laid: dict[Cell, tuple[float, float, float]] = {}
    out: list[TileSpec] = []
    for (cx, cy), rot, face in cells:
        told = []
        for dx, dy in SIDES:
            beside = laid.get((cx - dx, cy - dy))
            if beside is not None:
                x, y, turn = beside
                cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
                told.append((x + pitch * (cos * dx - sin * dy), y + pitch * (sin * dx + cos * dy), turn))
        x, y, turn = np.mean(told, axis=0) if told else (cx * pitch, cy * pitch, 0.0)
        x, y = np.array([x, y]) + np.clip(rng.normal(0, slip, 2), -2 * slip, 2 * slip) * tile_mm
        turn += float(rng.normal(0, turn_deg))
        laid[cx, cy] = (float(x), float(y), float(turn))
        out.append(TileSpec((cx, cy), rot, face, (float(x), float(y)), float(turn)))
    return tuple(out), pitch


TOWARDS_DEG = {"se": 0, "sw": 90, "nw": 180, "ne": 270}
"""Rotation in degrees of a watering hole's quarter in each corner: its own south-east lies at the water."""
COLORS = ("yellow", "red", "green", "blue", "black", "violet")
BESIDE_TOKEN = 0.6
"""Share of the animal tiles on features that a meeple stands on or beside."""


def random_pieces(
    rng: np.random.Generator,
    tiles: tuple[TileSpec, ...],
    tile_mm: float,
    pitch_mm: float,
    n_token_faces: int,
    density: float,
    token_mm: float = 18.0,
    huts: float | None = None,
) -> tuple[PieceSpec, ...]:
    """Pieces as a game leaves them: meeples and huts on tiles, tokens on corners and spots, some with a
    meeple before or on them, rangers on empty spaces. density: pieces a tile."""
    out: list[PieceSpec] = []
    used: list[tuple[float, float, float]] = []

    def room(x: float, y: float, r: float) -> bool:
        if any(math.hypot(x - a, y - b) < r + c for a, b, c in used):
            return False
        used.append((x, y, r))
        return True

    apart_mm = float(rng.choice([8.0, 8.0, 6.0, 5.0]))
    lying = float(rng.choice([0.15, 0.4, 0.7]))
    usual = float(rng.choice([0.0, 0.0, 0.2, 0.35, 0.6]))
    huts = usual if huts is None else huts
    taken = {t.cell for t in tiles}
    palette = list(rng.permutation(COLORS)[: int(rng.integers(2, 7))])
    n = int(rng.poisson(density * len(tiles)))
    for _ in range(n):
        t = tiles[int(rng.integers(len(tiles)))]
        u, v = rng.uniform(0.08, 0.92, 2)
        x, y = t.cell[0] * pitch_mm + (u - 0.5) * tile_mm, t.cell[1] * pitch_mm + (v - 0.5) * tile_mm
        kind = "hut" if rng.random() < huts else "meeple"
        pose = "lying" if rng.random() < (lying if kind == "meeple" else 0.08) else "standing"
        if not room(x, y, apart_mm):
            continue
        turn = float(rng.uniform(0, 360))
        out.append(PieceSpec(kind, str(rng.choice(palette)), pose, t.cell, (u, v), (x, y), turn))
    if rng.random() < 0.6:
        free = sorted(
            {(c[0] + dx, c[1] + dy) for c in taken for dx, dy in SIDES} - taken,
        )
        for k in rng.permutation(len(free))[: int(rng.integers(1, 4))]:
            c = free[int(k)]
            u, v = np.clip(rng.normal(0.5, 0.1, 2), 0.28, 0.72)
            x, y = (c[0] + u - 0.5) * pitch_mm, (c[1] + v - 0.5) * pitch_mm
            if room(x, y, 13.0):
                turn = float(rng.uniform(0, 360))
                out.append(PieceSpec("ranger", "white", "standing", c, (u, v), (x, y), turn))
    if n_token_faces and rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 6))):
            t = tiles[int(rng.integers(len(tiles)))]
            out += _watering_hole(rng, t, taken, tile_mm, pitch_mm, n_token_faces, palette, used, token_mm)
        for _ in range(int(rng.integers(0, 4))):
            t = tiles[int(rng.integers(len(tiles)))]
            u, v = rng.uniform(0.25, 0.75, 2)
            x, y = t.cell[0] * pitch_mm + (u - 0.5) * tile_mm, t.cell[1] * pitch_mm + (v - 0.5) * tile_mm
            if room(x, y, 12.0):
                turn = float(rng.integers(4) * 90 + rng.normal(0, 8))
                face = int(rng.integers(n_token_faces))
                out.append(PieceSpec("token", None, "lying", t.cell, (u, v), (x, y), turn, face))
                if rng.random() < BESIDE_TOKEN:
                    out.append(_beside(rng, out[-1], tile_mm, str(rng.choice(palette))))
    return tuple(out)


def flush_at(corner: str, side: float) -> tuple[float, float]:
    """The middle of a token of that ``side``, in tile sides, that lies flush with a tile's corner."""
    return (1 - side / 2 if "e" in corner else side / 2, 1 - side / 2 if "s" in corner else side / 2)


def _beside(rng: np.random.Generator, token: PieceSpec, tile_mm: float, color: str) -> PieceSpec:
    """A meeple on an animal tile that was added to a feature, or half beside it: it may hide the animal."""
    off_mm, way = rng.uniform(0, 14), rng.uniform(0, 2 * math.pi)
    dx, dy = off_mm * math.cos(way), off_mm * math.sin(way)
    u, v = (float(np.clip(at + d / tile_mm, 0.06, 0.94)) for at, d in zip(token.uv, (dx, dy), strict=True))
    xy = (token.xy_mm[0] + (u - token.uv[0]) * tile_mm, token.xy_mm[1] + (v - token.uv[1]) * tile_mm)
    pose = "standing" if rng.random() < 0.7 else "lying"
    level_mm = 2.0 if off_mm < 9.0 else 0.0
    return PieceSpec(
        "meeple", color, pose, token.cell, (u, v), xy, float(rng.uniform(0, 360)), level_mm=level_mm
    )


def _watering_hole(
    rng: np.random.Generator,
    tile: TileSpec,
    taken: set[Cell],
    tile_mm: float,
    pitch_mm: float,
    n_faces: int,
    palette: list[str],
    used: list[tuple[float, float, float]],
    token_mm: float,
) -> list[PieceSpec]:
    """One to four quarter tokens around the south-east lattice point of a tile, a meeple on some."""
    out: list[PieceSpec] = []
    half = token_mm / 2
    for corner, dx, dy in (("se", 0, 0), ("sw", 1, 0), ("ne", 0, 1), ("nw", 1, 1)):
        cell = (tile.cell[0] + dx, tile.cell[1] + dy)
        if cell not in taken or rng.random() < 0.45:
            continue
        sx = 1 if corner[1] == "e" else -1
        sy = 1 if corner[0] == "s" else -1
        u = 0.5 + sx * (0.5 - half / tile_mm) + float(rng.normal(0, 0.012))
        v = 0.5 + sy * (0.5 - half / tile_mm) + float(rng.normal(0, 0.012))
        x, y = cell[0] * pitch_mm + (u - 0.5) * tile_mm, cell[1] * pitch_mm + (v - 0.5) * tile_mm
        if any(math.hypot(x - a, y - b) < 8.0 + c for a, b, c in used):
            continue
        # Few people lay it otherwise.
        turn = float(
            (TOWARDS_DEG[corner] if rng.random() < 0.9 else rng.integers(4) * 90) + rng.normal(0, 2.5)
        )
        out.append(
            PieceSpec("token", None, "lying", cell, (u, v), (x, y), turn, int(rng.integers(n_faces)), corner)
        )
        if rng.random() < 0.4:
            du, dv = rng.normal(0, 0.03, 2)
            color = str(rng.choice(palette))
            pose = "standing" if rng.random() < 0.8 else "lying"
            out.append(
                PieceSpec(
                    "meeple", color, pose, cell, (u + du, v + dv), (x, y), float(rng.uniform(0, 360)),
                    corner=corner, level_mm=2.0,
                )
            )  # fmt: skip
    used += [(p.xy_mm[0], p.xy_mm[1], 8.0) for p in out]
    return out


def random_layout(
    rng: np.random.Generator,
    n_faces: int,
    n_tiles: int | None = None,
    n_token_faces: int = 0,
    density: float | None = None,
    huts: float | None = None,
) -> Layout:
    """A random table of 1..60 tiles with pieces."""
    if n_tiles is None:
        n_tiles = int(np.clip(round(float(np.exp(rng.uniform(0, math.log(61))))), 1, 60))
        if rng.random() < 0.35:
            n_tiles = int(rng.integers(8, 61))
    cells = random_cells(rng, n_tiles)
    tile_mm = 45.0
    repeat = rng.random() < 0.3
    faces = (
        rng.integers(n_faces, size=len(cells)) if repeat or n_faces < len(cells) else rng.permutation(n_faces)
    )
    plan = [(c, int(rng.integers(4)) * 90, int(f)) for c, f in zip(cells, faces, strict=False)]
    fused = float(rng.choice([0.0, 0.0, 0.0, 0.3]))
    neatness = float(rng.beta(1.2, 1.6))
    tiles, pitch = lay_by_hand(rng, plan, tile_mm, neatness, fused)
    if density is None:
        density = 0.0 if rng.random() < 0.15 else float(rng.uniform(0.1, 0.9))
    token_mm = float(rng.uniform(16.5, 20.5))
    pieces: tuple[PieceSpec, ...] = ()
    if density:
        pieces = random_pieces(rng, tiles, tile_mm, pitch, n_token_faces, density, token_mm, huts)
    thick = float(rng.uniform(1.6, 2.4))
    return Layout(tiles, pieces, tile_mm, pitch, thick, token_mm)
