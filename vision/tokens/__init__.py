"""Animal tiles: whether one lies at a place, how, and which animal it shows."""

from vision.tokens.reader import TokenReader
from vision.tokens.templates import TokenFaces

__all__ = ["TokenFaces", "TokenReader"]
