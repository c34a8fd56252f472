"""Overlay: draws the recognised tiles and pieces on the photograph."""

from __future__ import annotations

import cv2
import numpy as np

from vision.board import SeenPiece, SolvedBoard
from vision.observation import Image, mean_sides_px
from vision.tiles.params import PARAMS as TILES

Bgr = tuple[int, int, int]

SURE: Bgr = (96, 200, 72)
DOUBTFUL: Bgr = (40, 170, 250)
FAULTY: Bgr = (60, 60, 235)
INK: Bgr = (255, 255, 255)
SHADE: Bgr = (20, 20, 20)
GREY: Bgr = (160, 160, 160)
WATER: Bgr = (220, 190, 90)

PIECE_BGR: dict[str, Bgr] = {
    "yellow": (40, 210, 250),
    "red": (50, 50, 220),
    "green": (70, 160, 60),
    "blue": (210, 110, 40),
    "black": (45, 45, 45),
    "violet": (190, 70, 150),
    "grey": (150, 150, 150),
    "white": (245, 245, 245),
}


def draw_overlay(
    image: Image,
    board: SolvedBoard,
    faulty: frozenset[tuple[int, int]] = frozenset(),
    *,
    named: bool = True,
) -> Image:
    """Draw the recognised tiles and pieces on a copy of the photograph.

    Tiles are outlined in green if sure, orange if their confidence is under 0.9, red if their cell is in
    ``faulty``; the tick inside an outline points to the tile's own north. Pieces get a dot at their contact
    point and the name of their feature; animal tiles get a square. Without ``named`` nothing is written: the
    names are those of records, which say little to players.
    """
    canvas = image.copy()
    scale = max(image.shape[0], image.shape[1]) / 1280.0
    thick = max(1, round(2 * scale))
    for tile in board.tiles:
        quad = tile.corners_px.astype(np.float64)
        middle = quad.mean(axis=0)
        inset = middle + (quad - middle) * 0.94
        color = (
            FAULTY if tile.cell in faulty else SURE if tile.confidence >= TILES.believed_face else DOUBTFUL
        )
        cv2.polylines(
            canvas, [np.round(inset).astype(np.int32).reshape(-1, 1, 2)], True, color, thick, cv2.LINE_AA
        )
        if tile.face is None or not named:
            continue
        north = (inset[0] + inset[1]) / 2
        tip = north + (middle - north) * 0.22
        cv2.line(canvas, _px(north), _px(tip), color, thick, cv2.LINE_AA)
        side = float(mean_sides_px(quad))
        name = tile.face.design if tile.confidence >= TILES.believed_face else f"{tile.face.design}?"
        _label(canvas, name, _px(middle + np.array([0.0, 0.30 * side])), side / 230)
    # Animal tiles first: meeples stand on them.
    for piece in sorted(board.pieces, key=lambda piece: piece.reading.kind != "token"):
        if piece.cell is not None:
            _draw_piece(canvas, piece, scale, named=named)
    return canvas


def _draw_piece(canvas: Image, piece: SeenPiece, scale: float, *, named: bool) -> None:
    """Draw a dot in the piece's colour, or a square for an animal tile, with a label below if ``named``.
    ``scale`` is the size of all strokes relative to a picture of 1280 pixels."""
    x, y = _px(np.asarray(piece.reading.point_px))
    thick, radius = max(1, round(2 * scale)), max(3, round(7 * scale))
    below = (x, y + round(20 * scale))
    if piece.reading.kind == "token":
        reach = radius + 2 * thick
        cv2.rectangle(canvas, (x - reach, y - reach), (x + reach, y + reach), WATER, thick, cv2.LINE_AA)
        if named:
            _label(canvas, piece.reading.animal or "animal tile", below, 0.42 * scale)
        return
    cv2.circle(canvas, (x, y), radius + thick, INK, -1, cv2.LINE_AA)
    cv2.circle(canvas, (x, y), radius, PIECE_BGR.get(piece.reading.color or "", GREY), -1, cv2.LINE_AA)
    if named and piece.corner is None:  # else the animal tile below has the label
        _label(canvas, piece.feature or piece.reading.kind, below, 0.42 * scale)


def _px(point: np.ndarray) -> tuple[int, int]:
    """Round a point (2,) to integer pixels."""
    return (round(float(point[0])), round(float(point[1])))


def _label(canvas: Image, text: str, middle: tuple[int, int], size: float) -> None:
    """Draw outlined text centred on ``middle``; ``size`` is OpenCV's scale, 0.34 at least."""
    size = max(size, 0.34)
    weight = 1 if size < 0.8 else 2
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, weight)
    x, y = middle[0] - width // 2, middle[1] + height // 2
    for dx, dy in ((-1, -1), (1, -1), (-1, 1), (1, 1)):  # a heavier stroke would also widen the letters
        at = (x + dx * weight, y + dy * weight)
        cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, SHADE, weight, cv2.LINE_AA)
    cv2.putText(canvas, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, INK, weight, cv2.LINE_AA)
