"""What was recognised, drawn on the photograph: outlines, names, pieces, doubts."""

from __future__ import annotations

import cv2
import numpy as np

from vision.board import SeenBoard
from vision.observation import Image

Bgr = tuple[int, int, int]

SURE: Bgr = (96, 200, 72)
DOUBTFUL: Bgr = (40, 170, 250)
FAULTY: Bgr = (60, 60, 235)
INK: Bgr = (255, 255, 255)
SHADE: Bgr = (20, 20, 20)
SURE_FROM = 0.9

PIECE_BGR: dict[str, Bgr] = {
    "yellow": (40, 210, 250),
    "red": (50, 50, 220),
    "green": (70, 160, 60),
    "blue": (210, 110, 40),
    "black": (45, 45, 45),
    "violet": (190, 70, 150),
    "white": (245, 245, 245),
}


def draw_overlay(image: Image, board: SeenBoard, faulty: frozenset[tuple[int, int]] = frozenset()) -> Image:
    """A copy of the photograph with what was recognised drawn on it.

    Tiles are outlined green where sure, orange where the confidence is under 0.9, red where their
    cell is in ``faulty``; the tick inside an outline points to the tile's own north. Pieces carry
    a dot at the point where they touch the board, and the feature they stand on.
    """
    canvas = image.copy()
    scale = max(image.shape[0], image.shape[1]) / 1280.0
    thick = max(1, round(2 * scale))
    for tile in board.tiles:
        quad = tile.corners_px.astype(np.float64)
        middle = quad.mean(axis=0)
        inset = middle + (quad - middle) * 0.94
        color = FAULTY if tile.cell in faulty else SURE if tile.confidence >= SURE_FROM else DOUBTFUL
        cv2.polylines(
            canvas, [np.round(inset).astype(np.int32).reshape(-1, 1, 2)], True, color, thick, cv2.LINE_AA
        )
        if tile.face is None:
            continue
        north = (inset[0] + inset[1]) / 2
        tip = north + (middle - north) * 0.22
        cv2.line(canvas, _px(north), _px(tip), color, thick, cv2.LINE_AA)
        side = float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).mean())
        name = tile.face.design if tile.confidence >= SURE_FROM else f"{tile.face.design}?"
        _label(canvas, name, _px(middle + np.array([0.0, 0.30 * side])), side / 230)
    for piece in board.pieces:
        if piece.cell is None:
            continue
        at = _px(np.asarray(piece.reading.point_px))
        radius = max(3, round(7 * scale))
        color = PIECE_BGR.get(piece.reading.color or "", (160, 160, 160))
        cv2.circle(canvas, at, radius + thick, INK, -1, cv2.LINE_AA)
        cv2.circle(canvas, at, radius, color, -1, cv2.LINE_AA)
        name = piece.reading.kind if piece.feature is None else piece.feature
        _label(canvas, name, (at[0], at[1] + round(20 * scale)), 0.42 * scale)
    return canvas


def _px(point: np.ndarray) -> tuple[int, int]:
    return (round(float(point[0])), round(float(point[1])))


def _label(canvas: Image, text: str, middle: tuple[int, int], size: float) -> None:
    """Outlined text centred on a point; sizes below legibility are raised."""
    size = max(size, 0.34)
    weight = 1 if size < 0.8 else 2
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, weight)
    x, y = middle[0] - width // 2, middle[1] + height // 2
    for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1)):  # heavier strokes would be wider, and out of step
        at = (x + dx * weight, y + dy * weight)
        cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, SHADE, weight, cv2.LINE_AA)
    cv2.putText(canvas, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, INK, weight, cv2.LINE_AA)
