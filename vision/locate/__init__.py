"""Location of the board: from a picture to a `BoardPose`."""

from vision.locate.locator import Locator, locate, places_afresh
from vision.locate.marker_mat import MatPlane, find_mat
from vision.locate.pose_tracker import follow

__all__ = ["Locator", "MatPlane", "find_mat", "follow", "locate", "places_afresh"]
