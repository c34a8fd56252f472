"""Stories: when their turns come."""

from __future__ import annotations

import pytest

from engine.pack import load_pack
from engine.tiles.board import Laid
from tests.tile_records import start_of
from tests.tilesight.inference.test_worked_example import CELL, TILE, picture, story
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.evidence.traits import feature_point
from tilesight.inference.stories.moves import Moves
from tilesight.inference.stories.story import Scales
from tilesight.simulation.tile_games import random_game
from vision.geometry.lattice_frame import LatticeFrame


def watched(tile: list[bool], meeple: list[bool]) -> Scales:
    """Return the scales of pictures half a minute apart, by whether each shows a tile and its meeple."""
    start = start_of(random_game(load_pack("bastide"), 2, 1, turns=1), load_pack("bastide"))
    evidence, at = Evidence(start), feature_point(Laid(start.design(TILE), 0), CELL, "r0")
    for number, (lies, stands) in enumerate(zip(tile, meeple, strict=True)):
        seen = picture(start, number, 9.0 if lies else None, at if stands else None)
        evidence.note(seen, LatticeFrame((0, 0), 0), {**start.board, CELL: None})
    return Scales(Moves(start), evidence)


def test_a_piece_that_stays_tells_that_its_tile_was_only_missed() -> None:
    """A tile seen once, missed twice and seen again came with the piece that stood there all the time."""
    scales = watched([False, True, False, False, True, True, True], [False, *[True] * 6])
    without, with_meeple = story(scales, meeple=False), story(scales, meeple=True)
    assert (without.looks, with_meeple.looks) == ([3], [1])
    nats = scales.evidence.arrival(CELL).nats
    (showing,) = with_meeple.showings.values()
    assert showing.first == 1
    assert with_meeple.score - with_meeple.sums[-1] == pytest.approx(float(nats[1]) + showing.nats)


def test_a_piece_that_came_with_its_tile_leaves_the_tile_where_it_is() -> None:
    scales = watched([False, True, False, False, True, True, True], [False] * 4 + [True] * 3)
    assert story(scales, meeple=True).looks == [3]
