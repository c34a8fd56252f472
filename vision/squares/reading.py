"""Reading of a board of squares: converts an `Observation` to terrain and figures on named squares.

The counterpart of `vision.board`. Squares are named by the observation's lattice; its south-west square is
a1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from engine.squares_game import Figure, board_rows, square_name
from vision.observation import Observation, PieceReading
from vision.squares.parts import ACROSS, outer_corners

F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SeenFigure:
    """A recognised figure, and the reading of its piece."""

    figure: Figure
    reading: PieceReading


@dataclass(frozen=True, slots=True, eq=False)
class SeenPart:
    """A recognised part of the board.
    ``corners_px`` (4, 2) are its own nw, ne, se, sw, ``rot`` is its clockwise rotation in degrees."""

    design: str
    cell: Cell
    rot: int
    confidence: float
    corners_px: F64


@dataclass(frozen=True, slots=True, eq=False)
class SeenSquares:
    """The board of one photograph.
    ``corners_px`` (4, 2) are its nw, ne, se, sw corners (a10, j10, j1, a1), ``terrain`` are its rows of
    signs, north first, ``covered`` is the unexplained share of its area."""

    corners_px: F64
    terrain: tuple[str, ...]
    parts: tuple[SeenPart, ...]
    figures: tuple[SeenFigure, ...]
    covered: float

    def shows(self, terrain: Sequence[str]) -> bool:
        """Whether half of the squares or more have the given terrain (rows of signs, north first)."""
        pairs = list(zip("".join(self.terrain), "".join(terrain), strict=True))
        return 2 * sum(seen == known for seen, known in pairs) >= len(pairs)

    @property
    def squares(self) -> int:
        """Number of squares per side."""
        return len(self.terrain)


def see_squares(observation: Observation, pack: Pack, walker: str, pawn: str) -> SeenSquares | None:
    """Return the board read from one observation; None if it has none. Pieces off the board are left out.
    ``walker`` and ``pawn`` are the game's `Figure.kind` of figures with a facing and of pawns."""
    if observation.pose is None:
        return None
    parts, laid = [], {}
    for cell, reading in sorted(observation.cells.items(), key=lambda item: (item[0][1], item[0][0])):
        design, turn = divmod(int(reading.log_probs.argmax()), 4)
        name = observation.designs[design]
        laid[cell] = (name, 90 * turn)
        own = np.roll(np.asarray(reading.corners_px, np.float64), -turn, axis=0)
        parts.append(SeenPart(name, cell, 90 * turn, float(np.exp(reading.log_probs.max())), own))
    terrain = board_rows(pack, laid)
    squares = len(terrain)
    figures = []
    for piece in observation.pieces:
        x, y = (at * squares / ACROSS for at in piece.lattice_xy)
        column, row = int(np.floor(x)), int(np.floor(y))
        if not (0 <= column < squares and 0 <= row < squares):
            continue
        square = square_name(column, row, squares)
        if piece.animal is not None:
            figures.append(SeenFigure(Figure(walker, piece.animal, square, piece.facing), piece))
        elif piece.color is not None:
            figures.append(SeenFigure(Figure(pawn, piece.color, square), piece))
    covered = float(np.mean([reading.covered for reading in observation.cells.values()]))
    return SeenSquares(outer_corners(observation.pose), terrain, tuple(parts), tuple(figures), covered)
