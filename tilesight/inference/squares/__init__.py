"""Turns on boards of squares (as Tricky Safari's), from observations."""

from tilesight.inference.squares.tracker import SquareTracker
from tilesight.inference.squares.understanding import SquaresUnderstood

__all__ = ["SquareTracker", "SquaresUnderstood"]
