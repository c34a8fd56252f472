"""Verification of a located board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

import vision.board_finder
from engine.geometry import Cell
from vision.board_finder import BoardFinder, BoardState, LocatedBoard
from vision.change.small_picture import SmallPicture
from vision.geometry.lattice import Lattice
from vision.locate.locator import LocatedLattice, LocatorState
from vision.observation import BoardPose, CellReading, Sight
from vision.stage_timer import StageTimer

QUAD = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
SIGHT = Sight(np.zeros((80, 100, 3), np.uint8))


def board_of(cells: int, known: int, apart: Mapping[Cell, float] | None = None) -> LocatedBoard:
    """A board of tiles in a row, grown from its faces; the first ``known`` cells show known faces.
    ``apart`` are the probabilities of a tile elsewhere."""
    pose = BoardPose(
        np.diag([20.0, 20.0, 1.0]),
        {(x, 0): QUAD + np.array([20 * x, 0], np.float32) for x in range(cells)},
        (100, 80),
        0.99,
        {(x, 0): 1.0 for x in range(cells)} | dict(apart or {}),
    )
    readings = {
        cell: CellReading(cell, quad, np.zeros((1, 4), np.float32), 9.0 if cell[0] < known else -9.0)
        for cell, quad in pose.quads.items()
    }
    unknown = {cell: 0.99 for cell in pose.quads if cell[0] >= known}
    place = LocatedLattice(
        SIGHT.once(SmallPicture.of), pose, Lattice(np.diag([20.0, 20.0, 1.0]), np.array([50.0, 40.0]), 64.0)
    )
    return LocatedBoard(LocatorState(place), pose, readings, cells, unknown, grown=True)


@pytest.mark.parametrize(("chance", "searched"), [(0.3, False), (0.95, True)])
def test_a_board_with_a_likely_tile_apart_is_searched_again(
    chance: float, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = replace(board_of(4, 4, {(7, 3): chance}), grown=False)
    assert first.confirmed
    better = replace(first, grown=True)
    monkeypatch.setattr(BoardFinder, "_best_of_thorough_search", lambda *_: better)
    seen, _ = BoardFinder(None, None).recover(SIGHT, BoardState(), first, 0.0, StageTimer())
    assert seen is (better if searched else first)


@pytest.mark.parametrize(
    ("known", "apart", "searched_on"),
    [(26, {}, True), (29, {(31, 2): 0.95}, True), (29, {}, False), (30, {(31, 2): 0.95}, False)],
)
def test_a_board_with_unknown_tiles_does_not_end_the_search(
    known: int, apart: Mapping[Cell, float], searched_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A lattice that is shifted on a part of the board shows unknown tiles there, and still explains the rest.
    doubtful, grown, whole = board_of(20, 15), board_of(30, known, apart), board_of(40, 40)
    assert grown.confirmed
    growths = {id(doubtful): [grown], id(whole): []}
    searched: list[bool] = []

    def places(*_: object) -> Iterator[object]:
        searched.append(True)
        yield whole.located.place

    monkeypatch.setattr(vision.board_finder, "search_thoroughly", places)
    monkeypatch.setattr(BoardFinder, "_read", lambda *_: whole)
    monkeypatch.setattr(BoardFinder, "_regrown", lambda _self, _sight, seen, _timer: growths[id(seen)])
    finder = BoardFinder(object(), None)  # type: ignore[arg-type]
    best = finder._best_of_thorough_search(SIGHT, doubtful, StageTimer())
    assert (best, bool(searched)) == ((whole, True) if searched_on else (grown, False))


def test_what_a_thorough_search_finds_is_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    lost, found, grown = board_of(7, 0), board_of(27, 20), board_of(50, 50)
    growths = {id(lost): [], id(found): [grown]}
    monkeypatch.setattr(vision.board_finder, "search_thoroughly", lambda *_: iter([found.located.place]))
    monkeypatch.setattr(BoardFinder, "_read", lambda *_: found)
    monkeypatch.setattr(BoardFinder, "_regrown", lambda _self, _sight, seen, _timer: growths[id(seen)])
    finder = BoardFinder(object(), None)  # type: ignore[arg-type]
    assert finder._best_of_thorough_search(SIGHT, lost, StageTimer()) is grown
