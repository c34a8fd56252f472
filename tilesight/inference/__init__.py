"""From observations to turns: the legal turns that explain the pictures best."""

from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Understanding

__all__ = ["TurnTracker", "Understanding"]
