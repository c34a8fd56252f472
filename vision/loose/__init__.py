"""Loose tiles of an unknown game: detection and rectification without known faces."""

from vision.loose.tiles import LooseTiles, find_loose_tiles

__all__ = ["LooseTiles", "find_loose_tiles"]
