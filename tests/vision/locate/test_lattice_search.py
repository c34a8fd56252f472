"""Loose quads: the largest sets of them that lie on one lattice."""

from __future__ import annotations

import numpy as np

from tests.vision.geometry.test_lattice import SIZE_WH, a_lattice, cells_of
from vision.geometry.homography import UNIT_SQUARE
from vision.locate.lattice_search import find_lattices


def test_grow_joins_tiles_with_any_first_corner_and_leaves_strays_out() -> None:
    rng = np.random.default_rng(3)
    cells = [cell for cell in cells_of(7, 5) if cell not in {(3, 2), (0, 0)}]
    quads = a_lattice(-0.08).quads(cells) + rng.normal(0, 1.0, (len(cells), 4, 2))
    quads = np.stack([np.roll(quad, int(rng.integers(4)), axis=0) for quad in quads])
    strays = rng.uniform(100, 900, (6, 1, 2)) + 40 * UNIT_SQUARE[None] @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    grown = find_lattices(np.concatenate([quads, strays]), np.ones(len(quads) + 6), SIZE_WH)[0]
    # One lattice under other names: compare by where the members lie.
    members = {index for index, _ in grown.members.values()}
    assert members >= set(range(len(quads)))
    assert len(members) <= len(quads) + 1
    for cell, (index, turn) in grown.members.items():
        if index < len(quads):
            seen = np.roll(quads[index], -turn, axis=0)
            assert np.abs(seen - grown.lattice.quads([cell])).max() < 6.0


def test_grow_follows_slow_drift() -> None:
    cells = cells_of(10, 4)
    quads = a_lattice().quads(cells)
    bend = np.array([[0.0, 0.6 * (x - 5) ** 2] for x, _ in cells])[:, None]
    grown = find_lattices(quads + bend, np.ones(len(cells)), SIZE_WH)[0]
    assert len(grown.members) == len(cells)


def test_grow_joins_across_a_hole_what_lies_on_the_same_lattice() -> None:
    cells = [(x, y) for x, y in cells_of(7, 3) if x != 3]
    (grown, *others) = find_lattices(a_lattice().quads(cells), np.ones(len(cells)), SIZE_WH)
    assert len(grown.members) == len(cells)
    assert not others


def test_grow_tells_the_heavier_of_two_lattices_first_though_begun_from_the_lighter() -> None:
    heavy = a_lattice().quads(cells_of(4, 4))
    light = a_lattice().quads([(x + 0.5, y + 6.4) for x, y in cells_of(2, 2)])  # type: ignore[misc]
    weights = np.concatenate([np.ones(16), np.full(4, 3.0)])
    first, second = find_lattices(np.concatenate([heavy, light]), weights, SIZE_WH)
    assert {index for index, _ in first.members.values()} == set(range(16))
    assert {index for index, _ in second.members.values()} == set(range(16, 20))
    assert [first.weight, second.weight] == [16.0, 12.0]
    assert [
        one.weight for one in find_lattices(np.concatenate([heavy, light]), weights, SIZE_WH, most=1)
    ] == [16.0]


def test_grow_of_nothing_is_nothing() -> None:
    assert find_lattices(np.zeros((0, 4, 2)), np.zeros(0), SIZE_WH) == []
