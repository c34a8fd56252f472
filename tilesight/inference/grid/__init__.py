"""From observations to turns on boards of squares."""

from tilesight.inference.grid.tracker import SquareTracker
from tilesight.inference.grid.understanding import SquaresUnderstood

__all__ = ["SquareTracker", "SquaresUnderstood"]
