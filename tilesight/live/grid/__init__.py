"""Live tables of games on a board of squares."""

from tilesight.live.grid.table import GridTable

__all__ = ["GridTable"]
