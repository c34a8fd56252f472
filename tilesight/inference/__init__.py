"""Inference: from observations to the legal turns that explain them best."""

from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Understanding

__all__ = ["TurnTracker", "Understanding"]
