"""Hand-laid layout: where tiles and pieces really end up on a table.

World frame: millimetres on the table top, x to the board's east, y to the board's **north**,
z up; `yaw_deg` is counter-clockwise seen from above.  A cell's ideal centre is `45 * (x, -y)`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

Cell = tuple[int, int]
TILE_MM = 45.0
THICK_MM = 2.0
TOKEN_MM, TOKEN_THICK_MM = 18.0, 1.6
HUT_MM = 10.0
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))
ROUND = (*NEIGHBOURS, (1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class Pose:
    """A rigid pose in the table's plane: millimetres and degrees counter-clockwise."""

    x_mm: float
    y_mm: float
    yaw_deg: float

    def at(self, du_mm: float, dv_mm: float) -> tuple[float, float]:
        """The table point of a point given east and north of the pose's centre."""
        c, s = math.cos(math.radians(self.yaw_deg)), math.sin(math.radians(self.yaw_deg))
        return self.x_mm + c * du_mm - s * dv_mm, self.y_mm + s * du_mm + c * dv_mm


def rng_for(*key: object) -> np.random.Generator:
    """A generator that depends on nothing but `key`: a resumed run repeats every pose."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "little"))


def corners(pose: Pose, half_mm: float = TILE_MM / 2) -> np.ndarray:
    """The four corners, float [4, 2] mm, in the order nw, ne, se, sw of the cell."""
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return np.array([pose.at(sx * half_mm, sy * half_mm) for sx, sy in signs])


def clearance_mm(a: Pose, b: Pose) -> float:
    """The widest gap any side of the two squares separates them by; negative: they overlap."""
    return _gap_mm(corners(a), corners(b), (a.yaw_deg, a.yaw_deg + 90, b.yaw_deg, b.yaw_deg + 90))


def _gap_mm(pa: np.ndarray, pb: np.ndarray, yaws_deg: tuple[float, ...]) -> float:
    """The widest gap between the outlines [n, 2] along any of those directions; negative: they overlap."""
    best = -math.inf
    for yaw in yaws_deg:
        axis = np.array([math.cos(math.radians(yaw)), math.sin(math.radians(yaw))])
        ia, ib = pa @ axis, pb @ axis
        best = max(best, ib.min() - ia.max(), ia.min() - ib.max())
    return best


def gap_mm(a: Pose, a_wh: tuple[float, float], b: Pose, b_wh: tuple[float, float]) -> float:
    """How far two rectangles of those widths and depths (mm) about their poses are apart; negative: they
    overlap."""
    outlines = [
        np.array([pose.at(sx * w / 2, sy * h / 2) for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
        for pose, (w, h) in ((a, a_wh), (b, b_wh))
    ]
    yaws = (a.yaw_deg, a.yaw_deg + 90, b.yaw_deg, b.yaw_deg + 90)
    return _gap_mm(outlines[0], outlines[1], yaws)


def lay(laid: Mapping[Cell, Pose], cell: Cell, rng: np.random.Generator) -> Pose:
    """A person's attempt to lay a tile on `cell` beside the tiles already there.

    It starts from where the neighbours suggest, with gaps of 0.2 to 1.5 mm and a turn of up to
    1.5 degrees, and takes the first try that touches nobody, else the one that presses least.
    """
    best: tuple[float, Pose] | None = None
    near = [
        (d, laid[(cell[0] + d[0], cell[1] + d[1])])
        for d in NEIGHBOURS
        if (cell[0] + d[0], cell[1] + d[1]) in laid
    ]
    around = [laid[(cell[0] + dx, cell[1] + dy)] for dx, dy in ROUND if (cell[0] + dx, cell[1] + dy) in laid]
    for attempt in range(150):
        calm = 1.0 - attempt / 200
        guesses = []
        for (dx, dy), pose in near:
            reach = TILE_MM + float(np.clip(rng.normal(0.75, 0.35), 0.25, 1.5))
            slip = rng.normal(0, 0.35) * calm
            guesses.append(pose.at(-dx * reach + dy * slip, dy * reach + dx * slip))
        x, y = np.mean(guesses, axis=0)
        yaw = float(np.mean([pose.yaw_deg for _, pose in near])) * 0.8
        yaw += float(np.clip(rng.normal(0, 0.65 * calm), -1.5, 1.5))
        pose = Pose(float(x), float(y), float(np.clip(yaw, -2.0, 2.0)))
        gaps = [clearance_mm(pose, other) for other in around]
        press = max(0.0, 0.1 - min(gaps))
        loose = max(0.0, max(clearance_mm(pose, other) for _, other in near) - 1.5)
        cost = 3 * press + loose
        if best is None or cost < best[0]:
            best = (cost, pose)
        if cost == 0.0:
            break
    assert best is not None, f"{cell} has no neighbour to be laid against"
    return best[1]


def lay_all(order: list[Cell], start: list[Cell], seed: object) -> dict[Cell, Pose]:
    """Poses of the start piece (rigid, one piece of board) and of `order` laid after it."""
    laid = {cell: Pose(cell[0] * TILE_MM, -cell[1] * TILE_MM, 0.0) for cell in start}
    for cell in order:
        laid[cell] = lay(laid, cell, rng_for(seed, "tile", cell))
    return laid


def empty_cell_pose(laid: Mapping[Cell, Pose], cell: Cell) -> Pose:
    """The pose that the laid tiles around an empty ``cell`` suggest for it."""
    near = [
        laid[(cell[0] + d[0], cell[1] + d[1])].at(-d[0] * 45.8, d[1] * 45.8)
        for d in NEIGHBOURS
        if (cell[0] + d[0], cell[1] + d[1]) in laid
    ]
    if not near:
        return Pose(cell[0] * 45.8, -cell[1] * 45.8, 0.0)
    x, y = np.mean(near, axis=0)
    return Pose(float(x), float(y), 0.0)
