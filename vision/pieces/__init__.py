"""The wooden pieces: where they stand, which they are, and the feature each stands on."""

from vision.pieces.feature_assignment import feature_at, places_of
from vision.pieces.piece_reader import PieceReader

__all__ = ["PieceReader", "feature_at", "places_of"]
