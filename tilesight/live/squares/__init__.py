"""Live tables of games on boards of squares (as Tricky Safari's)."""

from tilesight.live.squares.table import SquaresTable

__all__ = ["SquaresTable"]
