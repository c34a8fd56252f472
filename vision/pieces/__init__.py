"""Recognition of pieces: position, kind, colour, and the feature on which each stands."""

from vision.pieces.feature_assignment import feature_at, places_of
from vision.pieces.piece_reader import PieceReader

__all__ = ["PieceReader", "feature_at", "places_of"]
