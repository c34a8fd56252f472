"""Pieces on the board: meeples standing and lying, huts, ranger vehicles, animal tokens.

A small fully convolutional network looks at the board from above (`vision.ortho`), and at what the known
print does not explain of it (`vision.expected`), and tells, four pixels apart, where a piece touches the
table, of which kind, and in which colour.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.board import PieceKind
from engine.geometry import Cell
from models.loader import OnnxModel
from vision.expected import ExpectedFace, LaidPrint, against_print
from vision.footing import feature_at, feature_costs
from vision.observation import BoardPose, PieceReading
from vision.ortho import Ortho, apply, lean_at, ortho_view

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

__all__ = ["feature_at", "feature_costs", "read_pieces"]

STRIDE = 4
COLORS = ("yellow", "red", "green", "blue", "black", "violet")
CLASSES: tuple[tuple[PieceKind, Literal["standing", "lying"]], ...] = (
    ("meeple", "standing"),
    ("meeple", "lying"),
    ("hut", "standing"),
    ("ranger", "standing"),
    ("token", "lying"),
)
RANGER, TOKEN = 3, 4
LEAST = 0.4
"""Peaks under this are not reported."""
LEAST_TOKEN = 0.55
"""The same for tokens: printed medallions look like them."""


def network_inputs(
    view: Ortho, said: F32, h_px_from_lattice: F64, image_size_wh: tuple[int, int]
) -> tuple[F32, F32]:
    """What the network takes: picture (1, 10, H, W) and context (1, 5, H/4, W/4).

    The picture's channels are its colours in -1..1 and what the print says of them (``said`` (H, W, 7), see
    `vision.expected.against_print`). Context is the lean of standing things (x, y, lattice units) and the
    mean colour of what is seen, the same everywhere: the light's colour is judged against it.
    """
    h, w = view.image.shape[:2]
    picture = np.empty((1, 10, h, w), np.float32)
    picture[0, :3] = (view.image.astype(np.float32) / np.float32(127.5) - 1).transpose(2, 0, 1)
    picture[0, 3:] = said.transpose(2, 0, 1)
    gh, gw = h // STRIDE, w // STRIDE
    # The lean changes slowly: a coarse grid is enough.
    ys = np.linspace(0, h - 1, 9)
    xs = np.linspace(0, w - 1, 9)
    grid = view.lattice_of(np.stack(np.meshgrid(xs, ys), axis=-1))
    lean = lean_at(h_px_from_lattice, image_size_wh, grid).astype(np.float32)
    field = np.asarray(cv2.resize(lean, (gw, gh), interpolation=cv2.INTER_LINEAR), np.float32)
    mean = np.array(cv2.mean(view.image, mask=view.seen)[:3], np.float32) / np.float32(127.5) - 1
    context = np.empty((1, 5, gh, gw), np.float32)
    context[0, :2] = field.transpose(2, 0, 1)
    context[0, 2:] = mean[:, None, None]
    return picture, context


def peaks(heat: F32, least: float) -> list[tuple[bool, int, int, float]]:
    """Local maxima of the heat maps (2, H, W): (a token?, y, x, value), strongest first.

    The first map finds what stands or lies on the board, the second tokens, which may lie under it.
    """
    out: list[tuple[bool, int, int, float]] = []
    kernel = np.ones((3, 3), np.uint8)
    for which, top in enumerate(heat):
        best = np.asarray(cv2.dilate(top, kernel), np.float32)
        for y, x in np.argwhere((top >= best) & (top >= least)):
            out.append((which == 1, int(y), int(x), float(top[y, x])))
    return sorted(out, key=lambda p: -p[3])


def around(maps: F32, y: int, x: int) -> F32:
    """The mean of maps (n, H, W) over the 3 × 3 places around one: what they say of a piece there."""
    return np.asarray(maps[:, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].mean(axis=(1, 2)), np.float32)


def read_pieces(
    image: NDArray[np.uint8],
    pose: BoardPose,
    model: OnnxModel,
    least: float = LEAST,
    kinds: Collection[PieceKind] | None = None,
    faces: Mapping[Cell, ExpectedFace] | None = None,
    laid: LaidPrint | None = None,
) -> tuple[PieceReading, ...]:
    """All pieces on the board and on the spaces around it, surest first.

    ``image`` is the BGR photo the pose belongs to. Pieces further than one cell from every tile of
    the pose are left out. ``lattice_xy`` is measured inside the tile's own refined corners where the
    piece stands on a tile. ``kinds`` are the kinds the game on the table has, None for all (see
    `vision.footing.kinds_of`). ``faces`` are those of the cells whose print is known, ``laid`` remembers
    how they lay in the frame before.
    """
    if not pose.quads:
        return ()
    h = np.asarray(pose.H_px_from_lattice, np.float64)
    view = ortho_view(image, h, pose.quads, pose.tile_side_px)
    said = against_print(view.image, *(laid or LaidPrint()).view(view, h, pose.quads, faces or {}))
    picture, context = network_inputs(view, said, h, pose.image_size_wh)
    heat, sorts, offset, color = (out[0] for out in model(picture, context))
    possible = np.array([kinds is None or name in kinds for name, _ in CLASSES], np.float32)
    readings: list[PieceReading] = []
    kept: list[tuple[bool, float, float]] = []
    for token, gy, gx, value in peaks(heat, least):
        dx, dy = float(offset[0, gy, gx]), float(offset[1, gy, gx])
        px = np.array([[(gx + 0.5 + dx) * STRIDE - 0.5, (gy + 0.5 + dy) * STRIDE - 0.5]])
        lattice = view.lattice_of(px)[0]
        near = 0.25 if token else 0.16
        if any(t == token and math.hypot(lattice[0] - a, lattice[1] - b) < near for t, a, b in kept):
            continue
        kept.append((token, float(lattice[0]), float(lattice[1])))
        point = apply(h, lattice[None])[0]
        place = _in_tiles(pose, lattice, point)
        if place is None or (token and (value < LEAST_TOKEN or not possible[TOKEN])):
            continue
        odds = around(sorts, gy, gx) * possible[:TOKEN]
        if _well_inside(pose, place):
            odds[RANGER] = 0.0  # its space is an empty one
        name, stance = CLASSES[TOKEN if token else int(odds.argmax())]
        tints = around(color, gy, gx)
        colors: Mapping[str, float] = {}
        best: str | None = None
        if name == "ranger":
            best = "white"
        elif name != "token":
            colors = {c: float(p) for c, p in zip(COLORS, tints, strict=True)}
            best = COLORS[int(tints.argmax())]
        readings.append(
            PieceReading(
                kind=name,
                color=best,
                pose=stance,
                point_px=(float(point[0]), float(point[1])),
                lattice_xy=place,
                confidence=value,
                color_probs=colors,
            )
        )
    return tuple(readings)


def _well_inside(pose: BoardPose, lattice_xy: tuple[float, float]) -> bool:
    """Whether a point lies on a tile of the pose, clear of its rim."""
    x, y = lattice_xy
    cell = (math.floor(x), math.floor(y))
    rim = min(x - cell[0], cell[0] + 1 - x, y - cell[1], cell[1] + 1 - y)
    return cell in pose.quads and rim > 0.15


def _in_tiles(pose: BoardPose, lattice: F64, point_px: F64) -> tuple[float, float] | None:
    """The point in lattice units by the nearest tile's own corners; None when no tile is near.

    On a tile the tile's corners decide; beside the board the lattice does.
    """
    cell = (math.floor(lattice[0]), math.floor(lattice[1]))
    best: tuple[float, tuple[float, float]] | None = None
    near = False
    for dx in (0, -1, 1):
        for dy in (0, -1, 1):
            c = (cell[0] + dx, cell[1] + dy)
            quad = pose.quads.get(c)
            if quad is None:
                continue
            near = True
            u, v = uv_in_quad(quad, point_px)
            outside = max(-u, u - 1, -v, v - 1)
            if best is None or outside < best[0]:
                best = (outside, (c[0] + u, c[1] + v))
    if not near:
        return None
    if best is not None and best[0] <= 0.06:
        x, y = best[1]
        if best[0] > 0:  # in the gap between tiles: keep it in the tile it touches
            c = (round(x - 0.5), round(y - 0.5))
            x, y = (min(max(t, k + 1e-3), k + 1 - 1e-3) for t, k in ((x, c[0]), (y, c[1])))
        return (x, y)
    return (float(lattice[0]), float(lattice[1]))


def uv_in_quad(quad: F32, point_px: F64) -> tuple[float, float]:
    """Where an image point lies inside a tile: (u, v), 0..1 inside, board frame."""
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    to_unit = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), square)
    u, v = apply(np.asarray(to_unit, np.float64), np.asarray(point_px, np.float64)[None])[0]
    return float(u), float(v)
