"""Inference: from observations to the story of the game that explains them best."""

from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding

__all__ = ["StoryTracker", "Understanding"]
