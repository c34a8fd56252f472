"""Pictures of games on squares: where the board lies in them, the overlay, the squares of a turn."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from engine.geometry import Cell
from engine.squares_game import square_place
from tilesight.live.album import PIECE_SURE, Homography, Look
from vision.observation import Frame
from vision.squares.reading import SeenSquares
from web.views.table import Picture, PicturePiece


def look_at(frame: Frame, seen: SeenSquares | None) -> Look[SeenSquares | None]:
    """A picture for the album; ``seen`` is None where no board was found in it."""
    return Look(frame, seen, None if seen is None else _board_to_px(seen))


def cells_around(squares: Iterable[str], across: int) -> tuple[Cell, ...]:
    """Some squares of a board with ``across`` to a side, with those around them: what a figure stands beside
    tells where it stands."""
    return tuple(
        (x + dx, y + dy)
        for x, y in (square_place(name, across) for name in squares)
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    )


def picture_of(look: Look[SeenSquares | None]) -> Picture:
    """The picture with its overlay: every figure that was recognised."""
    seen, scale = look.seen, look.scale
    figures = [] if seen is None else [f for f in seen.figures if f.reading.confidence >= PIECE_SURE]
    pieces = []
    for one in figures:
        figure, (x, y) = one.figure, one.reading.point_px
        walks = figure.facing is not None
        pieces.append(
            PicturePiece(
                figure.kind,
                None if walks else figure.name,
                figure.name if walks else None,
                (x * scale, y * scale),
                one.reading.confidence,
            )
        )
    return look.picture((), tuple(pieces))


def _board_to_px(seen: SeenSquares) -> Homography:
    """The homography (3 × 3) from the board, a square [x, x+1] × [y, y+1] from the north-west, to pixels."""
    n = float(seen.squares)
    board = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    corners = np.asarray(seen.corners_px, np.float32)
    return np.asarray(cv2.getPerspectiveTransform(board, corners), np.float64)
