"""Live tables of games on boards of squares, such as Tricky Safari."""

from tilesight.live.squares.table import SquaresTable

__all__ = ["SquaresTable"]
