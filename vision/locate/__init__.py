"""Location of the board: from a picture to a `BoardPose`."""

from vision.locate.locator import Locator, LocatorState, Place, locate, places_afresh
from vision.locate.marker_mat import MatPlane, find_mat

__all__ = ["Locator", "LocatorState", "MatPlane", "Place", "find_mat", "locate", "places_afresh"]
