"""A tiny table for the locator's tests: random faces, a camera, tiles laid by hand."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ToyBoard:
    """``quads`` maps cell -> (4, 2) pixels, nw ne se sw in the lattice's frame."""

    image: NDArray[np.uint8]
    quads: dict[tuple[int, int], NDArray[np.float64]]
    faces: NDArray[np.uint8]


def toy_faces(seed: int, count: int, side_px: int = 160) -> NDArray[np.uint8]:
    """Busy random faces, uint8 (count, side, side, 3)."""
    rng = np.random.default_rng(seed)
    faces = []
    for _ in range(count):
        base = rng.integers(60, 200, 3)
        face = np.full((side_px, side_px, 3), base, np.uint8)
        for _ in range(28):
            centre = tuple(int(v) for v in rng.integers(0, side_px, 2))
            color = tuple(int(v) for v in rng.integers(0, 255, 3))
            if rng.random() < 0.5:
                cv2.circle(face, centre, int(rng.integers(4, 22)), color, -1, cv2.LINE_AA)
            else:
                other = tuple(int(v) for v in rng.integers(0, side_px, 2))
                cv2.line(face, centre, other, color, int(rng.integers(2, 7)), cv2.LINE_AA)
        faces.append(face)
    return np.stack(faces)


def toy_board(
    seed: int,
    cells: list[tuple[int, int]],
    size_wh: tuple[int, int] = (1280, 720),
    elevation_deg: float = 60.0,
    yaw_deg: float = 20.0,
    fill: float = 0.75,
    faces: NDArray[np.uint8] | None = None,
) -> ToyBoard:
    """A board of ``cells`` seen by a pinhole camera; gaps to 3 % and turns to 1.5° a tile."""
    rng = np.random.default_rng(seed)
    if faces is None:
        faces = toy_faces(seed, 12)
    width, height = size_wh
    origin = np.array(cells, float).mean(axis=0) + 0.5
    extent = float(np.abs(np.array(cells, float) + 0.5 - origin).max()) + 0.5
    elevation, yaw = np.deg2rad(elevation_deg), np.deg2rad(yaw_deg)
    forward = np.array([0.0, np.cos(elevation), np.sin(elevation)])
    spin = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    focal = 1.1 * width
    distance = focal * extent / (fill * min(width, height) / 2)
    down = np.array([0.0, np.sin(elevation), -np.cos(elevation)])

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        # World: x right, y towards the viewer, z down into the table; camera looks along `forward`.
        flat = (points - origin) @ spin.T
        world = np.column_stack([flat[:, 0], -flat[:, 1], np.zeros(len(flat))])
        depth = world @ forward + distance
        return np.column_stack(
            [
                focal * world[:, 0] / depth + width / 2,
                -focal * (world @ down) / depth + height / 2,
            ]
        )

    noise = rng.normal(size=(height // 8, width // 8, 3)) * 12
    table = rng.integers(40, 200, 3)[None, None] + cv2.resize(noise, size_wh, interpolation=cv2.INTER_CUBIC)
    image = np.clip(table, 0, 255).astype(np.uint8)
    quads = {}
    for number, cell in enumerate(cells):
        turn = np.deg2rad(rng.uniform(-1.5, 1.5))
        rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        half = 0.49
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]]) @ rotate.T
        middle = np.array(cell) + 0.5 + rng.uniform(-0.012, 0.012, 2)
        quad = project(square + middle)
        face = np.rot90(faces[number % len(faces)], int(rng.integers(4))).copy()
        side = face.shape[0]
        corners = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(corners, quad.astype(np.float32))
        warped = cv2.warpPerspective(face, matrix, size_wh, flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(
            np.full((side, side), 255, np.uint8), matrix, size_wh, flags=cv2.INTER_LINEAR
        )
        alpha = mask[..., None] / 255.0
        image = (image * (1 - alpha) + warped * alpha).astype(np.uint8)
        quads[cell] = quad
    image = cv2.GaussianBlur(image, (0, 0), 0.7)
    return ToyBoard(image, quads, faces)
