"""Pictures of games on squares: the board's place in them, the overlay, the squares of a turn."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from engine.geometry import Cell
from engine.squares_game import square_place
from tilesight.live.album import PIECE_SURE, Homography, RecognisedPicture
from vision.squares.reading import SeenSquares
from web.table.pictures import Picture, PicturePiece


def cells_around(squares: Iterable[str], across: int) -> tuple[Cell, ...]:
    """Return the cells of ``squares`` and of their neighbours, on a board with ``across`` squares a side.

    Neighbours help people to recognise the place. Cells may be outside the board, and may repeat.
    """
    return tuple(
        (x + dx, y + dy)
        for x, y in (square_place(name, across) for name in squares)
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
    )


def picture_of(look: RecognisedPicture[SeenSquares | None]) -> Picture:
    """Return the picture with its overlay: every figure recognised with at least `PIECE_SURE`."""
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


def board_to_px(seen: SeenSquares) -> Homography:
    """Return the homography (3 × 3) from the board to pixels.

    Square (x, y), counted from the north-west, is [x, x+1] × [y, y+1].
    """
    n = float(seen.squares)
    board = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    corners = np.asarray(seen.corners_px, np.float32)
    return np.asarray(cv2.getPerspectiveTransform(board, corners), np.float64)
