"""Training pictures for the piece classifier: cuts of synthetic tables at pieces and at false candidates.

The false candidates are places where the piece detector thinks that there may be a piece.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import load
from models.loader import OnnxModel
from models.train.array_cache import save_arrays
from models.train.pieces.pieces_data import CLEAR, HIDDEN, PRINT_STEPS, Tables, see
from models.train.scenes import Scene
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, Ortho
from vision.observation import Sight
from vision.pieces.detector import candidates
from vision.pieces.piece_classifier import FOOT_PX, PX_PER_TILE, LookSource, take_looks
from vision.pieces.weights import ALL_COLORS

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

SAME, OTHER = 0.17, 0.25
"""Distances in tile sides from a look to a touching point: within SAME it is the look's piece, beyond OTHER
there is no piece."""
TOKEN_SAME, TOKEN_OTHER = 0.22, 0.36
LEAST = 0.12
"""Minimum detector probability of a candidate that is looked at: its false ones are what must be learned."""
AGAIN = 2  # looks at each true piece, from places a little off


@dataclass(frozen=True)
class LookBatch:
    """Looks of one table. image uint8 (n, S, S, 3), print int8 (n, 7, S, S) in steps of 1 / PRINT_STEPS,
    context float32 (n, 5); kind, token, color int8 (n,), -1 where not asked; offset float32 (n, 2); heat
    float32 (n, 3): the detector's value there (0 for a place it did not name), whether it said token, and 1
    for its own."""

    image: NDArray[np.uint8]
    print: NDArray[np.int8]
    context: F32
    kind: NDArray[np.int8]
    token: NDArray[np.int8]
    color: NDArray[np.int8]
    offset: F32
    heat: F32


def looks_of(scene: Scene, faces: NDArray[np.uint8], model: OnnxModel, rng: np.random.Generator) -> LookBatch:
    """The looks at a scene's pieces and at the detector's candidates."""
    seeing = see(scene, faces, rng)
    h = seeing.h_px_from_lattice
    sight = LookSource.of(Sight(scene.image), h, seeing.view, seeing.said)
    back = np.asarray(np.linalg.inv(h), np.float64)
    points_px = np.array([p.point_px for p in scene.pieces], np.float64).reshape(-1, 2)
    truth = apply_homography(back, points_px) if len(points_px) else points_px
    own = candidates(seeing.view, seeing.said, h, (scene.image.shape[1], scene.image.shape[0]), model, LEAST)
    places = [np.array(c.lattice_xy) for c in own]
    heat = [(c.value, float(c.token), 1.0) for c in own]
    for p, at in zip(scene.pieces, truth, strict=True):
        if p.visible >= CLEAR and _within(at, seeing.view):
            for _ in range(AGAIN):
                places.append(at + rng.normal(0, 0.04, 2))
                heat.append((0.0, float(p.kind == "token"), 0.0))
    if not places:
        places, heat = [np.array(seeing.view.lattice_of(np.array([[90.0, 90.0]]))[0])], [(0.0, 0.0, 0.0)]
    at_xy = np.array(places)
    n = len(at_xy)
    sure = np.array([h[2] == 1.0 for h in heat])
    turn = np.where(sure, 0.0, rng.normal(0, 5, n))
    looks = take_looks(sight, at_xy, turn, np.where(sure, 1.0, np.exp(rng.normal(0, 0.07, n))))
    kind, token, color = (np.full(n, -1, np.int8) for _ in range(3))
    offset = np.zeros((n, 2), np.float32)
    for k in range(n):
        kind[k], token[k], color[k], which = _label(scene, truth, at_xy[k])
        if which is not None:
            m = looks.px_from_look[k]
            in_look = np.linalg.solve(m[:, :2], points_px[which] - m[:, 2])
            offset[k] = (in_look - FOOT_PX) / PX_PER_TILE
    image = np.round((looks.pictures[:, :3] + 1) * 127.5).astype(np.uint8).transpose(0, 2, 3, 1)
    said = np.clip(np.round(looks.pictures[:, 3:] * PRINT_STEPS), -127, 127).astype(np.int8)
    return LookBatch(image, said, looks.context, kind, token, color, offset, np.array(heat, np.float32))


def places_of(scene: Scene, h_px_from_lattice: F64, lattice_xy: F64) -> list[tuple[int, int, int]]:
    """Kind (0 nothing), animal tile and colour at places (n, 2) of a scene; -1 where not to be asked."""
    points_px = np.array([p.point_px for p in scene.pieces], np.float64).reshape(-1, 2)
    back = np.asarray(np.linalg.inv(h_px_from_lattice), np.float64)
    truth = apply_homography(back, points_px) if len(points_px) else points_px
    return [_label(scene, truth, at)[:3] for at in lattice_xy]


def draw_tables(
    folder: Path,
    seed: int,
    first: int,
    count: int | None,
    shares: Mapping[str, float],
) -> None:
    """Draw tables and keep the looks at them, from number ``first`` on, up to ``count`` or without end;
    ``shares`` are those of difficult tables (`Tables`)."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    model = load("pieces", threads=1)
    tables = Tables(seed, **shares)
    k = first
    while count is None or k < count:
        path = folder / f"t{k:06d}.npz"
        if not path.exists():
            tables.rng = np.random.default_rng([seed, k])
            try:
                save_arrays(looks_of(*tables.scene(), model, np.random.default_rng([seed, k, 1])), path)
            except (ValueError, cv2.error, np.linalg.LinAlgError) as error:
                print("table left out:", error, flush=True)
        k += 1


def _within(at: F64, view: Ortho) -> bool:
    x, y = (at - view.origin_xy) * CELL_PX
    height, width = view.image.shape[:2]
    return bool(0 <= x < width and 0 <= y < height)


def _label(scene: Scene, truth: F64, at: F64) -> tuple[int, int, int, int | None]:
    """Kind, token, colour (-1: not asked) and the piece that a look at ``at`` shows."""
    kind, token, color, which = 0, 0, -1, None
    nearest = math.inf
    for k, piece in enumerate(scene.pieces):
        far = math.dist(truth[k], at)
        if piece.visible < HIDDEN / 2:
            continue
        if piece.kind == "token":
            if far < TOKEN_OTHER and token != 1:
                token = 1 if far < TOKEN_SAME and piece.visible >= HIDDEN else -1
            continue
        if far >= OTHER or far >= nearest:
            continue
        nearest = far
        if far >= SAME or piece.visible < CLEAR:
            kind, color, which = -1, -1, None
            continue
        kind, which = 1 + _class(piece.kind, piece.pose), k
        color = ALL_COLORS.index(piece.color) if piece.color in ALL_COLORS else -1
    return kind, token, color, which


def _class(kind: str, pose: str) -> int:
    if kind == "meeple":
        return int(pose == "lying")
    return {"hut": 2, "ranger": 3, "other": 4}[kind]
