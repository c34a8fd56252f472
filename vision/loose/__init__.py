"""Loose tiles on a table: found and straightened without knowing their art."""

from vision.loose.tiles import LooseTiles, find_loose_tiles

__all__ = ["LooseTiles", "find_loose_tiles"]
