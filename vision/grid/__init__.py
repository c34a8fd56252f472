"""Reading of boards of squares (as Tricky Safari's): their parts, and the pieces that stand on them."""

from vision.grid.parts import FoundParts, PartsFinder
from vision.grid.pipeline import FixedBoardEye
from vision.grid.reading import SeenSquares, see_squares

__all__ = ["FixedBoardEye", "FoundParts", "PartsFinder", "SeenSquares", "see_squares"]
