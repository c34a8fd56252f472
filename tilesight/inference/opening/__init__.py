"""Openings: a game that is under way when the camera first looks starts from the table as it is."""

from tilesight.inference.opening.tracker import OpeningTracker

__all__ = ["OpeningTracker"]
