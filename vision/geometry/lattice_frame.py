"""Lattice frame: conversion between a picture's lattice and the game's frame."""

from __future__ import annotations

from dataclasses import dataclass

from engine.geometry import Cell


@dataclass(frozen=True, slots=True)
class LatticeFrame:
    """Pose of the game's frame in a picture's lattice.

    ``origin`` is the lattice cell of the game's ``[0, 0]``; ``quarter_turns`` is the number of clockwise
    quarter turns from the lattice's north to the game's north.
    """

    origin: Cell
    quarter_turns: int

    def cell(self, lattice_cell: Cell) -> Cell:
        """Convert a cell from the lattice to the game's frame."""
        x, y = lattice_cell[0] - self.origin[0], lattice_cell[1] - self.origin[1]
        for _ in range(self.quarter_turns % 4):
            x, y = y, -x
        return (x, y)

    def lattice_cell(self, cell: Cell) -> Cell:
        """Convert a cell from the game's frame to the lattice; the inverse of ``cell``."""
        x, y = cell
        for _ in range(self.quarter_turns % 4):
            x, y = -y, x
        return (x + self.origin[0], y + self.origin[1])

    def rot(self, lattice_rot: int) -> int:
        """Convert a rotation, in degrees, from the lattice to the game's frame."""
        return (lattice_rot - 90 * self.quarter_turns) % 360

    def point(self, lattice_xy: tuple[float, float]) -> tuple[float, float]:
        """Convert a point in tile units from the lattice to the game's frame; cell (x, y) covers [x, x+1]."""
        x, y = lattice_xy[0] - self.origin[0] - 0.5, lattice_xy[1] - self.origin[1] - 0.5
        for _ in range(self.quarter_turns % 4):
            x, y = y, -x
        return (x + 0.5, y + 0.5)

    def lattice_point(self, xy: tuple[float, float]) -> tuple[float, float]:
        """Convert a point from the game's frame to the lattice; the inverse of ``point``."""
        x, y = xy[0] - 0.5, xy[1] - 0.5
        for _ in range(self.quarter_turns % 4):
            x, y = -y, x
        return (x + self.origin[0] + 0.5, y + self.origin[1] + 0.5)
