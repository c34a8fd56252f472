"""Hints of animal tiles are confirmed by print that was visible before and vanished."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import Point
from tilesight.inference.occlusion_history import Prints
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, PieceReading

GRID = 10
CORNER: Point = (0.8, 0.2)
"""North-east of the game's cell (0, 0)."""


def cell(hidden_around: Point | None, lattice: LatticeFrame) -> dict[tuple[int, int], CellReading]:
    """The reading of the game's cell (0, 0) with print hidden around a place of the game's."""
    at = (np.arange(GRID) + 0.5) / GRID
    hidden = np.zeros((GRID, GRID), np.bool_)
    if hidden_around is not None:
        x, y = np.meshgrid(at, at)
        hidden = (abs(x - hidden_around[0]) < 0.2) & (abs(y - hidden_around[1]) < 0.2)
    turned = np.rot90(hidden, -lattice.quarter_turns)
    quad = np.zeros((4, 2), np.float32)
    return {(0, 0): CellReading((0, 0), quad, np.zeros((1, 4), np.float32), 5.0, hidden=turned)}


def hint(lattice: LatticeFrame, confidence: float = 0.1) -> PieceReading:
    at = next(
        (x, y)
        for x, y in [(0.8, 0.2), (0.8, 0.8), (0.2, 0.8), (0.2, 0.2)]
        if np.allclose(lattice.point((x + lattice.origin[0], y + lattice.origin[1])), CORNER)
    )
    xy = (at[0] + lattice.origin[0], at[1] + lattice.origin[1])
    return PieceReading("token", None, "lying", (0.0, 0.0), xy, confidence)


@pytest.mark.parametrize("turns", range(4))
def test_a_hint_is_believed_where_the_print_vanished(turns: int) -> None:
    lattice = LatticeFrame((3, -2), turns)
    prints = Prints()
    prints.note(cell(None, lattice), lattice, [], 0.0)
    for t_s in (10.0, 20.0):  # as long as it is new, look after look
        now = cell(CORNER, lattice)
        (kept,) = prints.confirmed_hints([hint(lattice)], lattice, now, [])
        assert kept.confidence > 0.8
        prints.note(now, lattice, [], t_s)
    elsewhere = cell((0.2, 0.8), lattice)
    prints = Prints()
    prints.note(cell(None, lattice), lattice, [], 0.0)
    assert prints.confirmed_hints([hint(lattice)], lattice, elsewhere, []) == []


def test_a_hint_that_its_own_picture_makes_likely_is_told_as_it_is() -> None:
    lattice = LatticeFrame((0, 0), 0)
    prints = Prints()
    prints.note(cell(None, lattice), lattice, [], 0.0)
    bare = cell(None, lattice)
    (kept,) = prints.confirmed_hints([hint(lattice, 0.35)], lattice, bare, [])
    assert kept.confidence == 0.35
    assert prints.confirmed_hints([hint(lattice, 0.25)], lattice, bare, []) == []


def test_hidden_print_of_a_tile_just_laid_confirms_no_hint() -> None:
    lattice = LatticeFrame((0, 0), 0)
    assert Prints().confirmed_hints([hint(lattice)], lattice, cell(CORNER, lattice), []) == []
    assert len(Prints().confirmed_hints([hint(lattice, 0.4)], lattice, cell(CORNER, lattice), [])) == 1


def test_print_that_was_hidden_before_confirms_no_hint() -> None:
    lattice = LatticeFrame((0, 0), 0)
    prints = Prints()
    for t_s in range(0, 300, 20):
        prints.note(cell(CORNER, lattice), lattice, [], float(t_s))
    assert prints.confirmed_hints([hint(lattice)], lattice, cell(CORNER, lattice), []) == []


def test_print_hidden_by_a_piece_that_has_just_arrived_confirms_no_hint() -> None:
    lattice = LatticeFrame((0, 0), 0)
    prints = Prints()
    prints.note(cell(None, lattice), lattice, [], 0.0)
    now, owned_points = cell(CORNER, lattice), [(0.75, 0.3)]
    assert prints.confirmed_hints([hint(lattice)], lattice, now, owned_points) == []
    prints.note(now, lattice, owned_points, 5.0)
    assert prints.confirmed_hints([hint(lattice)], lattice, now, owned_points) == []
    # One that the picture itself makes likely is borne out, and stays so.
    prints = Prints()
    for t_s in (5.0, 6.0):
        assert len(prints.confirmed_hints([hint(lattice, 0.4)], lattice, now, owned_points)) == 1
        prints.note(now, lattice, owned_points, t_s)
