"""A table of Tricky Safari in Blender: four board quarters, ten animals with a front, two camera pawns.

The board's own frame is the world's: its middle is the origin, north is y. In a photograph its squares are
named from the corner nearest the image's lower left instead
(docs/formats.md, 'Photographs with truth'), see `Naming`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from engine.pack import Pack
from engine.tricky_safari.board import COLUMNS, FACINGS, PLACE, SIZE, Animal, square_at, turned
from engine.tricky_safari.state import TrickyState

from . import shapes
from .fitting import art_of
from .layout import THICK_MM, Pose, rng_for
from .stage import PieceAt, Stage

SQUARE_MM = 40.0
ANIMAL_MM, ANIMAL_THICK_MM = 32.0, 2.0
FRONT = [(-0.5, 0.16), (-0.5, -0.5), (0.5, -0.5), (0.5, 0.16), (0.0, 0.5)]
"""Outline of an animal in its own sides, counter-clockwise, the front to the north."""


@dataclass(frozen=True)
class Quarter:
    """A board quarter: its face, its clockwise turn, and where it lies."""

    design: str
    rot: int
    pose: Pose


@dataclass(frozen=True)
class AnimalAt:
    """An animal and where exactly it lies."""

    animal: Animal
    pose: Pose


def quarters_laid(pack: Pack, seed: object) -> dict[tuple[int, int], Quarter]:
    """The four quarters in any order and turn, pushed together by hand: (column, row from the north)."""
    rng = rng_for(seed, "quarters")
    names = list(rng.permutation(sorted(pack.quarters)))
    side = pack.tile_mm
    gap_x, gap_y = rng.uniform(0.5, 2.0, 2)
    laid = {}
    for k, name in enumerate(names):
        column, row = k % 2, k // 2
        x = (column - 0.5) * (side + gap_x) + rng.normal(0, 0.3)
        y = (0.5 - row) * (side + gap_y) + rng.normal(0, 0.3)
        yaw = float(np.clip(rng.normal(0, 0.12), -0.25, 0.25))
        laid[column, row] = Quarter(str(name), int(90 * rng.integers(4)), Pose(float(x), float(y), yaw))
    return laid


def terrain_of(pack: Pack, laid: Mapping[tuple[int, int], Quarter]) -> tuple[str, ...]:
    """The ten rows of signs that the quarters show, row 10 first."""
    rows = []
    for row in (0, 1):
        parts = [
            np.rot90(np.array([list(line) for line in pack.quarters[q.design]]), -(q.rot // 90))
            for q in (laid[0, row], laid[1, row])
        ]
        rows += ["".join(line) for line in np.concatenate(parts, axis=1)]
    return tuple(rows)


def on_board(laid: Mapping[tuple[int, int], Quarter], square: str) -> Pose:
    """Where the middle of a square lies, and how its quarter is turned."""
    column, row = PLACE[square]
    down = SIZE - row
    quarter = laid[column // 5, down // 5].pose
    x, y = quarter.at((column % 5 - 2) * SQUARE_MM, (2 - down % 5) * SQUARE_MM)
    return Pose(x, y, quarter.yaw_deg)


def animals_laid(
    laid: Mapping[tuple[int, int], Quarter], animals: tuple[Animal, ...], seed: object
) -> tuple[AnimalAt, ...]:
    """Animals put down by hand, near the middle of their squares; one that does not move stays as it lay."""
    out = []
    for animal in animals:
        rng = rng_for(seed, "animal", *animal)
        square = on_board(laid, animal.square)
        dx, dy = np.clip(rng.normal(0, 1.8, 2), -3.5, 3.5)
        yaw = square.yaw_deg - 90 * FACINGS.index(animal.facing) + float(np.clip(rng.normal(0, 4), -11, 11))
        out.append(AnimalAt(animal, Pose(square.x_mm + float(dx), square.y_mm + float(dy), yaw)))
    return tuple(out)


def cameras_laid(
    laid: Mapping[tuple[int, int], Quarter], cameras: Mapping[str, str], facing_deg: float, seed: object
) -> tuple[PieceAt, ...]:
    """The two pawns: coloured meeples that stand on their squares."""
    out = []
    for color, square in cameras.items():
        rng = rng_for(seed, "camera", color, square)
        at = on_board(laid, square)
        dx, dy = np.clip(rng.normal(0, 3.5, 2), -8, 8)
        point = (at.x_mm + float(dx), at.y_mm + float(dy), THICK_MM)
        yaw = facing_deg + float(rng.normal(0, 45))
        out.append(PieceAt("camera", color, "standing", _cell(square), None, point, yaw))
    return tuple(out)


def _cell(square: str) -> tuple[int, int]:
    column, row = PLACE[square]
    return (column, SIZE - row)


class Naming:
    """Names of squares and facings as a photograph has them: a1 is the corner nearest its lower left."""

    def __init__(self, corners_px: np.ndarray, size_wh: tuple[int, int]) -> None:
        """`corners_px` [4, 2] are the board's a10, j10, j1, a1 in its own frame."""
        lower_left = np.array([0.0, float(size_wh[1])])
        self.first = int(np.linalg.norm(corners_px - lower_left, axis=1).argmin())
        self.turns = (3 - self.first) % 4

    def square(self, square: str) -> str:
        """The photograph's name of a square."""
        x, y = _cell(square)
        for _ in range(self.turns):
            x, y = SIZE - 1 - y, x
        name = square_at(x, SIZE - y)
        assert name is not None
        return name

    def corners(self, corners_px: np.ndarray) -> np.ndarray:
        """The corners as the photograph's a10, j10, j1, a1."""
        return np.roll(corners_px, self.turns, axis=0)

    def terrain(self, rows: tuple[str, ...]) -> list[str]:
        """The rows as the photograph has them, row 10 first."""
        signs = np.rot90(np.array([list(row) for row in rows]), -self.turns)
        return ["".join(line) for line in signs]

    def facing(self, animal: Animal) -> str:
        """Where the animal looks in the photograph's names."""
        return turned(animal.facing, self.turns)


class TrickyStage(Stage):
    """The stage with a board of quarters on it."""

    def __init__(self, camera: Any, pack: Pack, laid: Mapping[tuple[int, int], Quarter]) -> None:
        super().__init__(camera, lambda design: art_of(pack, design))
        self.pack = pack
        self.laid = laid
        self.animals: dict[AnimalAt, bpy.types.Object] = {}
        side = pack.tile_mm
        mesh = self.mesh(
            "quarter",
            lambda: shapes.slab(
                "quarter", shapes.rounded_rect(side, side, 1.5), THICK_MM, 0.12, (side, side)
            ),
        )
        for quarter in laid.values():
            pose = quarter.pose
            mats = (self.card, self._face(quarter.design))
            self.put(mesh, mats, pose.x_mm, pose.y_mm, 0.0, pose.yaw_deg - quarter.rot)

    def animal_object(self, item: AnimalAt, lift_mm: float = 0.0) -> bpy.types.Object:
        """One animal on the board."""
        mesh = self.mesh(
            "front",
            lambda: shapes.slab(
                "front",
                [(ANIMAL_MM * u, ANIMAL_MM * v) for u, v in FRONT],
                ANIMAL_THICK_MM,
                0.1,
                (ANIMAL_MM, ANIMAL_MM),
            ),
        )
        mats = (self.card, self._face(f"token-{item.animal.species}"))
        return self.put(mesh, mats, item.pose.x_mm, item.pose.y_mm, THICK_MM + lift_mm, item.pose.yaw_deg)

    def show_game(self, animals: tuple[AnimalAt, ...], cameras: tuple[PieceAt, ...]) -> None:
        """Bring the table to this state; what is already right stays untouched."""
        for item in [a for a in self.animals if a not in animals]:
            self.drop(self.animals.pop(item))
        for item in animals:
            if item not in self.animals:
                self.animals[item] = self.animal_object(item)
        self.show({}, {}, cameras)

    def board_corners_px(self) -> np.ndarray:
        """The board's a10, j10, j1, a1 in its own frame, [4, 2] px."""
        half = self.pack.tile_mm / 2
        at = (((0, 0), (-1, 1)), ((1, 0), (1, 1)), ((1, 1), (1, -1)), ((0, 1), (-1, -1)))
        points = [(*self.laid[cell].pose.at(sx * half, sy * half), THICK_MM) for cell, (sx, sy) in at]
        return self.camera.project(np.array(points))

    def truth_game(self, terrain: tuple[str, ...]) -> dict[str, Any]:
        """The visible board, animals and cameras (docs/formats.md, 'Photographs with truth')."""
        corners = self.board_corners_px()
        names = Naming(corners, self.camera.size_wh)
        cameras = []
        for piece, obj in self.pieces.items():
            assert piece.cell is not None
            own = f"{COLUMNS[piece.cell[0]]}{SIZE - piece.cell[1]}"
            cameras.append({**self.truth_piece(piece, obj), "cell": names.square(own)})
        middles = np.array([(i.pose.x_mm, i.pose.y_mm, THICK_MM) for i in self.animals])
        points = self.camera.project(middles).round(2).tolist() if len(middles) else []
        return {
            "size_wh": list(self.camera.size_wh),
            "K": self.camera.K,
            "dist": [self.camera.k1, self.camera.k2, 0.0, 0.0, 0.0],
            "board": {
                "corners_px": names.corners(corners).round(2).tolist(),
                "terrain": names.terrain(terrain),
            },
            "animals": [
                {
                    "species": item.animal.species,
                    "cell": names.square(item.animal.square),
                    "facing": names.facing(item.animal),
                    "point_px": point,
                }
                for item, point in zip(self.animals, points, strict=True)
            ],
            "pieces": cameras,
        }


def square_poses() -> list[Pose]:
    """A pose for every square: what a camera must see, and where nothing else may stand."""
    middle = (SIZE - 1) / 2
    return [
        Pose((x - middle) * SQUARE_MM, (middle - y) * SQUARE_MM, 0.0)
        for y in range(SIZE)
        for x in range(SIZE)
    ]


def table_of(
    state: TrickyState, laid: Mapping[tuple[int, int], Quarter], facing_deg: float, seed: object
) -> tuple[tuple[AnimalAt, ...], tuple[PieceAt, ...]]:
    """Where everything lies in that position."""
    return (
        animals_laid(laid, state.animals, seed),
        cameras_laid(laid, state.cameras, facing_deg, seed),
    )
