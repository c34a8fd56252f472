"""Verification of a located board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import Cell
from vision.board_finder import BoardFinder, BoardState, LocatedBoard
from vision.change.small_picture import SmallPicture
from vision.geometry.lattice import Lattice
from vision.locate.locator import LocatedLattice, LocatorState
from vision.observation import BoardPose, CellReading, Sight
from vision.stage_timer import StageTimer

QUAD = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
SIGHT = Sight(np.zeros((80, 100, 3), np.uint8))


def confirmed_board(apart: Mapping[Cell, float]) -> LocatedBoard:
    """A board of four tiles that its faces confirm, and ``apart``, the probabilities of a tile elsewhere."""
    quads = {(x, 0): QUAD + np.array([20 * x, 0], np.float32) for x in range(4)}
    pose = BoardPose(
        np.diag([20.0, 20.0, 1.0]), quads, (100, 80), 0.99, dict.fromkeys(quads, 1.0) | dict(apart)
    )
    cells = {cell: CellReading(cell, quad, np.zeros((1, 4), np.float32), 9.0) for cell, quad in quads.items()}
    lattice = Lattice(np.diag([20.0, 20.0, 1.0]), np.array([50.0, 40.0]), 64.0)
    place = LocatedLattice(SIGHT.once(SmallPicture.of), pose, lattice)
    return LocatedBoard(LocatorState(place), pose, cells, len(quads))


@pytest.mark.parametrize(("chance", "searched"), [(0.3, False), (0.95, True)])
def test_a_board_with_a_likely_tile_apart_is_searched_again(
    chance: float, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = confirmed_board({(7, 3): chance})
    assert first.confirmed
    better = replace(first, grown=True)
    monkeypatch.setattr(BoardFinder, "_best_of_thorough_search", lambda *_: better)
    seen, _ = BoardFinder(None, None).recover(SIGHT, BoardState(), first, 0.0, StageTimer())
    assert seen is (better if searched else first)
