"""A photograph of loose tiles on a plain table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

TILE_PX = 120


def toy_sheet(
    seed: int, faces: NDArray[np.uint8], columns: int = 5, gap: float = 0.3, turn_deg: float = 12.0
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.int64]]:
    """The photograph (960, 1280, 3), each face's corners (n, 4, 2) as its own nw ne se sw, and by how many
    quarter turns clockwise it lies. Tiles lie in rows with a gap between them, turned any way."""
    rng = np.random.default_rng(seed)
    rows = -(-len(faces) // columns)
    pitch = TILE_PX * (1 + gap)
    wide, tall = round((columns + 1) * pitch), round((rows + 1) * pitch)
    grain = rng.normal(0, 5, (tall, wide, 1)) + rng.normal(0, 3, (tall, 1, 1))
    table = np.clip(np.array([96, 120, 148]) + grain, 0, 255).astype(np.uint8)
    quarter = rng.integers(0, 4, len(faces))
    corners = np.empty((len(faces), 4, 2))
    for number, face in enumerate(faces):
        at = (np.array([number % columns, number // columns]) + 1) * pitch
        angle = np.deg2rad(90 * quarter[number] + rng.normal(0, turn_deg))
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * TILE_PX / 2
        corners[number] = at + square @ spin.T
        size = len(face)
        source = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
        H = cv2.getPerspectiveTransform(source, corners[number].astype(np.float32))
        shown = cv2.warpPerspective(face, H, (wide, tall), flags=cv2.INTER_AREA)
        mask = cv2.warpPerspective(np.full((size, size), 255, np.uint8), H, (wide, tall))
        shadow = cv2.GaussianBlur(np.roll(mask, 4, axis=(0, 1)), (0, 0), 4)[..., None] / 255
        table = np.clip(table * (1 - 0.4 * shadow), 0, 255).astype(np.uint8)
        table[mask > 127] = shown[mask > 127]
    outer = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    scale = min(1180 / wide, 900 / tall)
    half = scale * np.array([wide, tall]) / 2
    # A camera that looks down steeply, from the south and a little turned.
    slant = np.array([[-0.9, -0.9], [0.94, -0.86], [1.0, 0.94], [-1.0, 0.9]])
    seen = (np.array([640, 480]) + slant * half).astype(np.float32)
    H = cv2.getPerspectiveTransform(outer, seen)
    photo = cv2.warpPerspective(table, H, (1280, 960), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    photo = np.clip(cv2.GaussianBlur(photo, (0, 0), 0.6) + rng.normal(0, 3, photo.shape), 0, 255)
    seen_corners = np.asarray(cv2.perspectiveTransform(corners, H), np.float64)
    return photo.astype(np.uint8), seen_corners, quarter
