"""Rough courses of features from the sides that they reach."""

from __future__ import annotations

import math

import pytest

from engine.pack import load_pack
from engine.tile import Tile
from vision.pieces.feature_assignment import feature_at, takes_of
from vision.pieces.feature_outline import outlines_of

PACK = load_pack("carcassonne")


def tile(name: str) -> Tile:
    return PACK.designs[name].tile


def test_a_straight_road_runs_from_side_to_side() -> None:
    shape, points = outlines_of(tile("BC-D"))["r0"]
    assert shape == "path"
    assert {points[0], points[-1]} == {(1.0, 0.5), (0.0, 0.5)}


def test_a_road_that_ends_runs_to_the_middle() -> None:
    shape, points = outlines_of(tile("BC-A"))["r0"]
    assert shape == "path"
    assert points == ((0.5, 1.0), (0.5, 0.5))


def test_a_bend_goes_around_the_middle() -> None:
    _, points = outlines_of(tile("BC-V"))["r0"]
    assert all(math.dist(point, (0.0, 1.0)) == pytest.approx(0.5, abs=0.09) for point in points)


def test_a_city_on_one_side_spreads_inwards() -> None:
    shape, points = outlines_of(tile("BC-D"))["c0"]
    assert shape == "region"
    assert max(v for _, v in points) == pytest.approx(0.24)


def test_a_feature_that_reaches_no_side_has_no_outline() -> None:
    assert "m0" not in outlines_of(tile("BC-B"))


def test_a_pack_with_courses_needs_no_rough_ones() -> None:
    assert not outlines_of(load_pack("bastide").tiles[0])


@pytest.mark.parametrize("along", [0.25, 0.5, 0.65])
def test_a_piece_far_from_the_spot_of_a_road_stands_on_it(along: float) -> None:
    """The spot of this road is at its west end."""
    assert feature_at(PACK.designs["BC-D"], 0, (along, 0.5), takes_of(PACK)) == "r0"
