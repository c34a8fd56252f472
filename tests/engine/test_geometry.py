"""Quarter turns of edges, corners, points and whole boards."""

from __future__ import annotations

import pytest

from engine.geometry import (
    CORNERS,
    EDGES,
    EDGES_AT,
    OPPOSITE,
    ROTS,
    Corner,
    Edge,
    corners_at,
    neighbour,
    ring,
    turned_corner,
    turned_edge,
    turned_point,
    vertex,
)
from tests.engine.symmetry import turned_cell


def test_a_clockwise_turn_brings_north_to_east() -> None:
    assert [turned_edge("n", rot) for rot in ROTS] == ["n", "e", "s", "w"]
    assert [turned_corner("nw", rot) for rot in ROTS] == ["nw", "ne", "se", "sw"]
    assert turned_point((0.5, 0.0), 90) == (1.0, 0.5)
    assert turned_cell((0, -1), 90) == (1, 0)


@pytest.mark.parametrize("rot", ROTS)
@pytest.mark.parametrize("corner", CORNERS)
def test_corner_lies_between_the_same_edges_after_a_turn(corner: Corner, rot: int) -> None:
    turned = {turned_edge(edge, rot) for edge in EDGES_AT[corner]}
    assert turned == set(EDGES_AT[turned_corner(corner, rot)])


@pytest.mark.parametrize("edge", EDGES)
def test_neighbour_of_neighbour_is_the_cell(edge: Edge) -> None:
    assert neighbour(neighbour((3, -2), edge), OPPOSITE[edge]) == (3, -2)


def test_four_quarters_meet_at_a_point() -> None:
    quarters = corners_at((4, 7))
    assert {vertex(cell, corner) for cell, corner in quarters} == {(4, 7)}
    assert len({cell for cell, _ in quarters}) == 4


def test_ring_is_the_eight_cells_around() -> None:
    assert set(ring((0, 0))) == {(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)} - {(0, 0)}
