"""Location of the board: finds the `BoardPose` in a picture."""

from vision.locate.locator import LocatedLattice, Locator, LocatorState, locate, search_thoroughly
from vision.locate.marker_mat import MatPlane, find_mat

__all__ = ["LocatedLattice", "Locator", "LocatorState", "MatPlane", "find_mat", "locate", "search_thoroughly"]
