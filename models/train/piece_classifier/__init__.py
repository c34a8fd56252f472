"""Piece classifier (`models/looks.onnx`): its recipe, network, training pictures, and weights."""
