"""Live tables of games on boards of squares (as Tricky Safari's)."""

from tilesight.live.grid.table import GridTable

__all__ = ["GridTable"]
