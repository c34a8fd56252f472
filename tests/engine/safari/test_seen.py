"""Animal tiles seen on corners of Safari: the order in which they can have been laid."""

from __future__ import annotations

from itertools import permutations

import pytest

from engine.geometry import Cell, Corner
from engine.safari.seen import tokens_in_order
from engine.tiles.board import Standing

AROUND: tuple[tuple[Cell, Corner, str], ...] = (
    ((0, 0), "se", "zebra"),
    ((1, 1), "nw", "zebra"),
    ((1, 0), "sw", "lion"),
    ((0, 1), "ne", "monkey"),
)
"""A full watering hole that was dug twice with a zebra, on cells that touch at a corner alone."""


@pytest.mark.parametrize("order", list(permutations(AROUND)))
def test_the_same_animal_was_dug_twice_before_the_hole_grew(
    order: tuple[tuple[Cell, Corner, str], ...],
) -> None:
    seen = [Standing("token", "white", cell, corner=corner, animal=animal) for cell, corner, animal in order]
    animals = [token.animal for token in tokens_in_order(seen)]
    assert sorted(animals[:2]) == ["zebra", "zebra"]
