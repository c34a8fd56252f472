"""Boards of squares (as Tricky Safari's), put together from known parts: from observations to turns."""

from tilesight.inference.grid.tracker import SquareTracker
from tilesight.inference.grid.understanding import SquaresUnderstood

__all__ = ["SquareTracker", "SquaresUnderstood"]
