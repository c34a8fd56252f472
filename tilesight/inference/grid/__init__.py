"""Turns on boards of squares (as Tricky Safari's), from observations."""

from tilesight.inference.grid.tracker import SquareTracker
from tilesight.inference.grid.understanding import SquaresUnderstood

__all__ = ["SquareTracker", "SquaresUnderstood"]
