"""Loose tiles of an unknown game: found on a table and straightened without knowing their art."""

from vision.loose.tiles import LooseTiles, find_loose_tiles

__all__ = ["LooseTiles", "find_loose_tiles"]
