"""A piece stands on the feature that the pack's geometry puts under it."""

from __future__ import annotations

import pytest

from engine.geometry import turned_point
from engine.pack import load_pack
from engine.tiles.pieces import PieceKind, Pose, Sort
from tests.vision.pieces.likeliest import sort_and_feature
from vision.pieces.feature_assignment import (
    feature_at,
    feature_costs,
    places_of,
    takes_of,
)

PACK = load_pack("savanna")
Shares = dict[Sort, float]
"""The probability of each kind and pose."""
TAKES = takes_of(PACK)


@pytest.mark.parametrize("rot", [0, 90, 180, 270])
def test_every_spot_is_on_its_own_feature(rot: int) -> None:
    for design in PACK.designs.values():
        for feature in design.tile.features:
            pose: Pose = "lying" if feature.kind == "baobab" else "standing"
            at = turned_point(feature.spot, rot)
            assert feature_at(design, rot, at, TAKES, "meeple", pose) == feature.id, design.id


def test_a_hand_s_breadth_of_error_does_not_matter() -> None:
    wrong = 0
    total = 0
    for design in PACK.designs.values():
        for feature in design.tile.features:
            for du, dv in ((0.07, 0), (-0.07, 0), (0, 0.07), (0, -0.07)):
                at = (feature.spot[0] + du, feature.spot[1] + dv)
                pose: Pose = "lying" if feature.kind == "baobab" else "standing"
                total += 1
                wrong += feature_at(design, 0, at, TAKES, "meeple", pose) != feature.id
    assert wrong <= 0.01 * total


def test_pose_decides_where_two_features_are_near() -> None:
    design = PACK.designs["CS2-E"]
    baobab = next(f for f in design.tile.features if f.kind == "baobab")
    at = (baobab.spot[0] - 0.02, baobab.spot[1] + 0.05)
    costs = feature_costs(design, 0, at, TAKES, "meeple", "lying")
    assert min(costs, key=lambda k: costs[k]) == "baobab"
    assert feature_costs(design, 0, at, TAKES, "meeple", "standing")["baobab"] > costs["baobab"]


def test_rangers_stand_on_no_feature() -> None:
    design = PACK.designs["CS2-E"]
    assert feature_at(design, 0, (0.5, 0.5), TAKES, "ranger") is None


def test_the_place_has_a_word_on_what_was_not_clearly_seen() -> None:
    pack = load_pack("hunters-gatherers-2020")
    tiles = [d for d in pack.designs.values() if {"grassland", "river"} <= {f.kind for f in d.tile.features}]
    for design in tiles[:6]:
        river = next(f for f in design.tile.features if f.kind == "river")
        unclear: Shares = {("hut", "standing"): 0.45, ("meeple", "lying"): 0.55}
        assert sort_and_feature(design, 90, turned_point(river.spot, 90), unclear, takes_of(pack)) == (
            ("hut", "standing"),
            river.id,
        )
        clear: Shares = {("hut", "standing"): 0.001, ("meeple", "lying"): 0.999}
        (kind, _), feature = sort_and_feature(design, 90, turned_point(river.spot, 90), clear, takes_of(pack))
        assert kind == "meeple"
        assert feature is not None


def test_of_a_meeple_and_a_hut_on_water_the_hut_is_likelier() -> None:
    """A meeple might stand elsewhere."""
    pack = load_pack("hunters-gatherers-2020")
    places = places_of(pack)
    assert places["meeple", "standing"] > places["hut", "standing"] > 0
    design = next(d for d in pack.designs.values() if "river" in {f.kind for f in d.tile.features})
    river = next(f for f in design.tile.features if f.kind == "river")
    unclear: Shares = {("hut", "standing"): 0.45, ("meeple", "standing"): 0.55}
    assert sort_and_feature(design, 0, river.spot, unclear, takes_of(pack))[0] == (
        "meeple",
        "standing",
    )
    assert sort_and_feature(design, 0, river.spot, unclear, takes_of(pack), places)[0] == (
        "hut",
        "standing",
    )


def test_a_river_has_a_place_for_huts_and_one_for_meeples() -> None:
    """docs/formats.md, 'Pack': where a piece stands says which one it is, where neither is clearly seen."""
    pack = load_pack("taiga")
    takes = takes_of(pack)
    rivers = [
        (design, feature)
        for design in pack.designs.values()
        for feature in design.tile.features
        if feature.kind == "river" and feature.hut_spot is not None
    ]
    assert len(rivers) > 20
    doubtful: Shares = {("hut", "standing"): 0.5, ("meeple", "standing"): 0.5}
    for design, river in rivers:
        kinds: tuple[PieceKind, ...] = ("hut", "meeple")
        for kind in kinds:
            at = turned_point(river.spot_of(kind), 90)
            assert sort_and_feature(design, 90, at, doubtful, takes) == (
                (kind, "standing"),
                river.id,
            )


def test_no_meeple_stands_on_a_lake() -> None:
    """Rules of Hunters and Gatherers: fishers are placed on rivers (2a), huts on rivers or lakes (2b)."""
    pack = load_pack("hunters-gatherers-2020")
    takes = takes_of(pack)
    lakes = [
        (design, feature)
        for design in pack.designs.values()
        for feature in design.tile.features
        if feature.kind == "lake"
    ]
    assert lakes
    for design, lake in lakes:
        doubtful: Shares = {("hut", "standing"): 0.1, ("meeple", "standing"): 0.9}
        sort, feature_id = sort_and_feature(design, 180, turned_point(lake.spot, 180), doubtful, takes)
        kinds = {feature.id: feature.kind for feature in design.tile.features}
        assert feature_id is not None
        assert (sort[0], kinds[feature_id]) != ("meeple", "lake")
        clear: Shares = {("hut", "standing"): 0.0, ("meeple", "standing"): 1.0}
        (kind, _), feature_id = sort_and_feature(design, 180, turned_point(lake.spot, 180), clear, takes)
        assert kind == "meeple"
        assert kinds[feature_id or ""] != "lake"
