"""Joint reading of a board: faces of all tiles by their sides, their neighbours and the pack's counts."""

from vision.joint.belief_propagation import Face, solve_board
from vision.joint.sides import SideReader

__all__ = ["Face", "SideReader", "solve_board"]
