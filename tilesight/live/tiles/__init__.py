"""Live tables of games whose tiles are laid edge to edge."""

from tilesight.live.tiles.table import TileTable

__all__ = ["TileTable"]
