"""Boards of squares (as Tricky Safari's), put together from known parts: their live tables."""

from tilesight.live.grid.table import GridTable

__all__ = ["GridTable"]
