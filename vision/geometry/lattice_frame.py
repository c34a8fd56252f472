"""Lattice frame: the only place that converts between a picture's lattice and the game's frame."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Cell


@dataclass(frozen=True, slots=True)
class LatticeFrame:
    """Pose of a photo's lattice in the game's frame: turned, then shifted.

    ``origin`` is the lattice cell that is ``[0, 0]`` of the game; ``quarter_turns`` how many
    clockwise quarter turns the game's north is away from the lattice's.
    """

    origin: Cell
    quarter_turns: int

    def cell(self, lattice_cell: Cell) -> Cell:
        """The game's cell for a cell of the lattice."""
        x, y = lattice_cell[0] - self.origin[0], lattice_cell[1] - self.origin[1]
        for _ in range(self.quarter_turns % 4):
            x, y = y, -x
        return (x, y)

    def lattice_cell(self, cell: Cell) -> Cell:
        """The lattice's cell for a cell of the game; undoes ``cell``."""
        x, y = cell
        for _ in range(self.quarter_turns % 4):
            x, y = -y, x
        return (x + self.origin[0], y + self.origin[1])

    def rot(self, lattice_rot: int) -> int:
        """A turn in the lattice, seen from the game's frame (degrees)."""
        return (lattice_rot - 90 * self.quarter_turns) % 360

    def point(self, lattice_xy: tuple[float, float]) -> tuple[float, float]:
        """A point of the lattice (tile units) in the game's frame, cell (x, y) at [x, x+1]."""
        x, y = lattice_xy[0] - self.origin[0] - 0.5, lattice_xy[1] - self.origin[1] - 0.5
        for _ in range(self.quarter_turns % 4):
            x, y = y, -x
        return (x + 0.5, y + 0.5)

    def lattice_point(self, xy: tuple[float, float]) -> tuple[float, float]:
        """The point of the lattice for one of the game's frame; undoes ``point``."""
        x, y = xy[0] - 0.5, xy[1] - 0.5
        for _ in range(self.quarter_turns % 4):
            x, y = -y, x
        return (x + self.origin[0] + 0.5, y + self.origin[1] + 0.5)
