"""Tiles are squares of one size in one plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.geometry import Cell
from tests.vision.toy_boards import toy_board
from vision.geometry.lattice import Lattice
from vision.geometry.params import PARAMS
from vision.geometry.rigid import (
    drawn_to_lattice,
    drawn_to_neighbours,
    plane_of,
    rigid_quads,
)
from vision.observation import Quad, mean_sides_px

CELLS: list[Cell] = [(x, y) for x in range(4) for y in range(3)]
SIZE_WH = (1280, 720)


def worst_corner(quads: dict[Cell, Quad], truth: dict[Cell, Quad]) -> float:
    """In sides."""
    side = np.mean([float(mean_sides_px(quad)) for quad in truth.values()])
    return max(float(np.linalg.norm(quads[cell] - truth[cell], axis=1).max()) for cell in truth) / float(side)


def test_corners_measured_badly_become_better_together() -> None:
    truth = {cell: quad.astype(np.float32) for cell, quad in toy_board(4, CELLS).quads.items()}
    rng = np.random.default_rng(1)
    seen = {cell: quad + rng.normal(0, 1.5, (4, 2)).astype(np.float32) for cell, quad in truth.items()}
    lattice = plane_of(seen, SIZE_WH)
    assert lattice is not None
    assert worst_corner(rigid_quads(lattice, seen), truth) < 0.65 * worst_corner(seen, truth)


def test_corners_that_are_rigid_already_stay() -> None:
    truth = {cell: quad.astype(np.float32) for cell, quad in toy_board(4, CELLS).quads.items()}
    lattice = plane_of(truth, SIZE_WH)
    assert lattice is not None
    assert worst_corner(rigid_quads(lattice, truth), truth) < 0.006


def test_a_bare_outline_gets_the_size_of_the_known_tiles() -> None:
    truth = {cell: quad.astype(np.float32) for cell, quad in toy_board(4, CELLS).quads.items()}
    lattice = plane_of(truth, SIZE_WH)
    assert lattice is not None
    quad = truth[(1, 1)]
    grown = {(1, 1): quad.mean(axis=0) + 1.1 * (quad - quad.mean(axis=0))}
    assert worst_corner(rigid_quads(lattice, grown, truth), {(1, 1): quad}) < 0.01


@pytest.mark.parametrize("count", [0, 2])
def test_few_tiles_fix_no_plane(count: int) -> None:
    quads = {cell: quad.astype(np.float32) for cell, quad in list(toy_board(4, CELLS).quads.items())[:count]}
    assert plane_of(quads, SIZE_WH) is None


@pytest.fixture
def shifted() -> tuple[Lattice, dict[Cell, Quad], dict[Cell, Quad], float]:
    """A board's lattice, its tiles, the same with (1, 1) a tenth of its side too far right, and that side."""
    truth = {cell: quad.astype(np.float32) for cell, quad in toy_board(4, CELLS).quads.items()}
    lattice = plane_of(truth, SIZE_WH)
    assert lattice is not None
    side = float(np.linalg.norm(truth[(1, 1)] - np.roll(truth[(1, 1)], 1, axis=0), axis=1).mean())
    seen = truth | {(1, 1): truth[(1, 1)] + np.array([0.1 * side, 0.0], np.float32)}
    return lattice, truth, seen, side


def test_outlines_alone_are_drawn_towards_the_lattice(
    shifted: tuple[Lattice, dict[Cell, Quad], dict[Cell, Quad], float],
) -> None:
    lattice, truth, seen, side = shifted
    drawn = drawn_to_lattice(lattice, seen)
    left = float(np.linalg.norm(drawn[(1, 1)] - truth[(1, 1)], axis=1).mean()) / side
    assert left == pytest.approx(0.1 * (1.0 - PARAMS.to_lattice), abs=0.012)


def test_a_tile_is_moved_towards_where_its_neighbours_say_and_keeps_its_turn(
    shifted: tuple[Lattice, dict[Cell, Quad], dict[Cell, Quad], float],
) -> None:
    lattice, _, seen, side = shifted
    shift = (drawn_to_neighbours(lattice, seen)[(1, 1)] - seen[(1, 1)]) / side
    assert np.ptp(shift, axis=0).max() < 1e-4
    assert float(shift[0, 0]) == pytest.approx(-0.1 * PARAMS.to_neighbours, abs=0.01)


@pytest.mark.parametrize("drawn_to", [drawn_to_lattice, drawn_to_neighbours])
def test_too_few_tiles_are_not_drawn_anywhere(
    shifted: tuple[Lattice, dict[Cell, Quad], dict[Cell, Quad], float],
    drawn_to: Callable[[Lattice, dict[Cell, Quad]], dict[Cell, Quad]],
) -> None:
    lattice, _, seen, _ = shifted
    few = {cell: seen[cell] for cell in CELLS[:2]}
    assert all((drawn_to(lattice, few)[cell] == few[cell]).all() for cell in few)
