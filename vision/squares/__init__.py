"""Recognition of boards of squares (as Tricky Safari's): their parts, and the figures on them."""

from vision.squares.parts import FoundParts, PartsFinder
from vision.squares.pipeline import SquareBoardPipeline
from vision.squares.reading import SeenSquares, see_squares

__all__ = ["FoundParts", "PartsFinder", "SeenSquares", "SquareBoardPipeline", "see_squares"]
