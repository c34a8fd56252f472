"""Piece classifier: recipe, network, training pictures, and the weights that join it with the detector."""
