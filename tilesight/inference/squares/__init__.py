"""Tracker for boards of squares, such as Tricky Safari's."""

from tilesight.inference.squares.tracker import SquareTracker
from tilesight.inference.squares.understanding import SquaresUnderstood

__all__ = ["SquareTracker", "SquaresUnderstood"]
