"""Boards of squares, put together from known parts: the parts, and what stands on the squares."""

from vision.grid.parts import FoundParts, PartsFinder
from vision.grid.pipeline import FixedBoardEye
from vision.grid.reading import SeenSquares, see_squares

__all__ = ["FixedBoardEye", "FoundParts", "PartsFinder", "SeenSquares", "see_squares"]
