"""Piece detector: recipe, network and training pictures."""
