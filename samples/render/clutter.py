"""Clutter on the rendered tables: mugs, cards, piles of tiles, supplies, where there is room."""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy
import numpy as np

from . import materials, shapes, surfaces
from .layout import THICK_MM, Pose
from .stage import PieceAt, Stage

# clutter: name -> (radius it needs, height, maker)


def _mug(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    glaze = materials.principled("glaze", tuple(rng.uniform(0.25, 0.9, 3)), roughness=0.2, coat=0.4)
    cup = shapes.lathe(
        "mug",
        [
            (0.1, 0),
            (30, 0),
            (37, 5),
            (39, 20),
            (40, 86),
            (39, 88),
            (37, 86),
            (36.5, 60),
            (36, 20),
            (34, 6),
            (0.1, 4),
        ],
    )
    stage.put(cup, (glaze,), x, y)
    path = [
        (38 + 24 * math.sin(t), 0.0, 45 + 26 * math.cos(t)) for t in np.linspace(0.15, math.pi - 0.15, 14)
    ]
    stage.put(shapes.tube("handle", path, [5.0] * 14), (glaze,), x, y, 0, yaw)
    drink = shapes.lathe("coffee", [(0.1, 66), (36.6, 66)])
    stage.put(drink, (materials.principled("coffee", (0.16, 0.09, 0.05), roughness=0.08),), x, y)


def _pencil(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    tone = tuple(rng.choice([(0.85, 0.65, 0.1), (0.15, 0.35, 0.6), (0.7, 0.15, 0.15)]))
    shaft = shapes.tube("pencil", [(-85, 0, 3.6), (66, 0, 3.6)], [3.6, 3.6], 6)
    stage.put(shaft, (materials.principled("lacquer", tone, roughness=0.3, coat=0.3),), x, y, 0, yaw)
    tip = shapes.tube("tip", [(66, 0, 3.6), (84, 0, 3.6), (90, 0, 3.6)], [3.5, 1.1, 0.3], 12)
    stage.put(tip, (materials.principled("cut-wood", (0.8, 0.62, 0.42)),), x, y, 0, yaw)


def _phone(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    shell = materials.principled("shell", (0.06, 0.06, 0.07), roughness=0.3, metallic=0.3)
    glass = materials.principled("glass", (0.012, 0.012, 0.016), roughness=0.06, coat=0.5)
    mesh = shapes.slab("phone", shapes.rounded_rect(74, 154, 9), 8.2, 0.9, (74, 154))
    stage.put(mesh, (shell, glass), x, y, 0, yaw)


def _cards(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    ink = tuple(int(v) for v in rng.integers(30, 150, 3))
    back = materials.printed("card-back", materials.picture("card", surfaces.card(rng, ink)))
    rim = materials.principled("card-rim", (0.9, 0.88, 0.84))
    mesh = shapes.slab("card", shapes.rounded_rect(63, 88, 3.5), 0.35, 0.05, (63, 88))
    for k in range(int(rng.integers(3, 7))):
        stage.put(mesh, (rim, back), x + rng.normal(0, 9), y + rng.normal(0, 9), 0.36 * k, yaw + 14 * k)


def _sheet(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    accent = tuple(int(v) for v in rng.integers(60, 200, 3))
    image = materials.picture("page", surfaces.page(rng, (420, 594), accent))
    mesh = shapes.slab("sheet", shapes.rounded_rect(148, 210, 1), 0.8, 0.1, (148, 210))
    paper = materials.principled("paper", (0.93, 0.92, 0.88))
    stage.put(mesh, (paper, materials.principled("page", image=image, roughness=0.6)), x, y, 0, yaw)


def _bowl(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    glaze = materials.principled("bowl", tuple(rng.uniform(0.3, 0.85, 3)), roughness=0.25, coat=0.3)
    stage.put(
        shapes.lathe("bowl", [(0.1, 0), (26, 0), (48, 16), (60, 40), (61, 42), (58, 41), (45, 17), (0.1, 6)]),
        (glaze,),
        x,
        y,
    )
    nut = shapes.lathe("nut", [(0.1, 0), (4, 1.5), (6.5, 6), (5.5, 11), (0.1, 14)], 12)
    shell = materials.principled("nuts", (0.66, 0.44, 0.22), roughness=0.6)
    for _ in range(46):
        r, t = 36 * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        obj = stage.put(
            nut,
            (shell,),
            x + r * math.cos(t),
            y + r * math.sin(t),
            20 + rng.uniform(0, 11),
            rng.uniform(0, 360),
            (rng.uniform(0, 2), rng.uniform(0, 2)),
        )
        obj.name = "nut"


def _dice(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    mesh = shapes.box("die", 16, 16, 16, 2)
    for k in range(3):
        tone = materials.principled("die", tuple(rng.uniform(0.1, 0.9, 3)), roughness=0.3, coat=0.3)
        stage.put(mesh, (tone,), x + (k - 1) * 24, y + rng.normal(0, 9), 0, rng.uniform(0, 90))


def _gamebox(stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float) -> None:
    accent = (222, 140, 40)
    image = materials.picture(
        "lid", np.clip(surfaces.page(rng, (420, 420), accent, 3) * np.array([0.95, 0.62, 0.3]), 0, 1)
    )
    mesh = shapes.slab("gamebox", shapes.rounded_rect(190, 190, 3), 62, 0.8, (190, 190))
    stage.put(
        mesh,
        (materials.principled("box-side", (0.5, 0.2, 0.1)), materials.printed("lid", image)),
        x,
        y,
        0,
        yaw,
    )


def stack(
    stage: Stage, rng: np.random.Generator, x: float, y: float, yaw: float, count: int, deck: str = "regular"
) -> list[bpy.types.Object]:
    """A pile of `count` face-down tiles of a deck; returns them from the bottom up."""
    back = f"back-{deck}"
    if back not in stage.faces:
        path = None if stage.back is None else stage.back(deck)
        stage.faces[back] = materials.printed(
            back,
            materials.picture(back, surfaces.tile_back(np.random.default_rng(3)))
            if path is None
            else materials.load(path),
        )
    mesh = stage.mesh(
        "tile", lambda: shapes.slab("tile", shapes.rounded_rect(45, 45, 1.6), THICK_MM, 0.12, (45, 45))
    )
    return [
        stage.put(
            mesh,
            (stage.card, stage.faces[back]),
            x + rng.normal(0, 0.9),
            y + rng.normal(0, 0.9),
            THICK_MM * k,
            yaw + rng.normal(0, 1.6),
        )
        for k in range(count)
    ]


HEAPS: dict[str, tuple[float, float, float]] = {"meeple": (21, 21, 0.6), "hut": (13, 17, 0.35)}
"""How widely a heap of such pieces lies and how near two are at least (mm), and the share that fell over."""


def supply(
    rng: np.random.Generator, color: str, x: float, y: float, count: int, kind: str = "meeple"
) -> list[PieceAt]:
    """`count` pieces of a colour in a loose heap beside the board, some standing, some lying."""
    wide, near, fallen = HEAPS[kind]
    out: list[PieceAt] = []
    for _ in range(count):
        for _ in range(80):
            px, py = x + rng.normal(0, wide), y + rng.normal(0, wide)
            if all(math.hypot(px - p.point_mm[0], py - p.point_mm[1]) > near for p in out):
                break
        out.append(
            PieceAt(
                kind,
                color,
                "lying" if rng.random() < fallen else "standing",
                None,
                None,
                (float(px), float(py), 0.0),
                float(rng.uniform(0, 360)),
            )
        )
    return out


CLUTTER: dict[str, tuple[float, float, Callable[..., object]]] = {
    "mug": (62, 90, _mug),
    "pencil": (92, 8, _pencil),
    "phone": (86, 9, _phone),
    "cards": (75, 4, _cards),
    "sheet": (130, 1, _sheet),
    "bowl": (62, 45, _bowl),
    "dice": (36, 16, _dice),
    "gamebox": (136, 62, _gamebox),
    "stack": (36, 40, lambda stage, rng, x, y, yaw: stack(stage, rng, x, y, yaw, int(rng.integers(5, 20)))),
}


class Places:
    """Finds room beside the board: nothing may stand on it or hide it from the camera."""

    def __init__(self, stage: Stage, board: list[Pose]) -> None:
        self.stage = stage
        centres = np.array([[p.x_mm, p.y_mm, 0.0] for p in board])
        self.board_mm = centres[:, :2]
        self.board_px = stage.camera.project(centres)
        a, b = stage.camera.project(np.array([[0, 0, 0], [45.0, 0, 0]]))
        self.side_px = float(np.linalg.norm(b - a))
        self.taken: list[tuple[float, float, float]] = []

    def find(
        self, rng: np.random.Generator, radius_mm: float, height_mm: float, spread: float = 1.04
    ) -> tuple[float, float] | None:
        """A free spot (mm) whose body of that radius and height keeps clear of the board, or None."""
        w, h = self.stage.camera.size_wh
        for _ in range(400):
            px = np.array([[rng.uniform(1 - spread, spread) * w, rng.uniform(1 - spread, spread) * h]])
            x, y = self.stage.camera.ground(px)[0]
            if np.hypot(*(self.board_mm - [x, y]).T).min() < radius_mm + 42:
                continue
            if any(math.hypot(x - a, y - b) < radius_mm + r for a, b, r in self.taken):
                continue
            ring = np.array(
                [
                    [x + radius_mm * math.cos(t), y + radius_mm * math.sin(t), z]
                    for t in np.linspace(0, 2 * math.pi, 12, endpoint=False)
                    for z in (0, height_mm)
                ]
            )
            body = self.stage.camera.project(ring)
            lo, hi = body.min(0) - 0.8 * self.side_px, body.max(0) + 0.8 * self.side_px
            if ((self.board_px > lo) & (self.board_px < hi)).all(1).any():
                continue
            self.taken.append((float(x), float(y), radius_mm))
            return float(x), float(y)
        return None


def scatter(stage: Stage, places: Places, names: tuple[str, ...], rng: np.random.Generator) -> None:
    """Put clutter down wherever there is room for it."""
    for name in names:
        radius, height, make = CLUTTER[name]
        spot = places.find(rng, radius, height)
        if spot is not None:
            make(stage, rng, *spot, float(rng.uniform(0, 360)))


def face_down_tokens(
    stage: Stage, rng: np.random.Generator, x: float, y: float, count: int
) -> list[bpy.types.Object]:
    """A player's animal tiles, face down in two rows."""
    mesh = stage.mesh(
        "token", lambda: shapes.slab("token", shapes.rounded_rect(18, 18, 5), THICK_MM, 0.12, (18, 18))
    )
    tone = materials.principled("token-back", (0.72, 0.50, 0.24), roughness=0.5, coat=0.2)
    return [
        stage.put(
            mesh,
            (stage.card, tone),
            x + 22 * (k % 5 - 2) + rng.normal(0, 1.5),
            y + 22 * (k // 5) + rng.normal(0, 1.5),
            0,
            rng.normal(0, 12),
        )
        for k in range(count)
    ]
