"""Tokens (animal tiles): whether one lies at a place, its pose, and which animal it shows."""

from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader

__all__ = ["TokenFaces", "TokenReader"]
