"""Games that the camera finds in the middle: the table as it lies becomes the opening position."""

from tilesight.inference.opening.tracker import OpeningTracker

__all__ = ["OpeningTracker"]
