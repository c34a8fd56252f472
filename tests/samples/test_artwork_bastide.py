"""Laws of the deck `bastide`: its pack says what `carcassonne` says, and its pictures what its pack says."""

import json
from itertools import combinations
from math import dist
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from engine.pack import Pack, Tile, load_pack
from engine.tiles.pieces import Pose, Sort
from samples.artwork.geometry import EDGE_CENTRE, edge_point, inside, margin
from tests.samples.faces import opened, touched_edges
from tests.vision.pieces.likeliest import sort_and_feature
from vision.pieces.feature_assignment import feature_at, takes_of

PACKS = Path(__file__).parents[2] / "engine" / "packs"
BASTIDE: Pack = load_pack("bastide")
EDITION: Pack = load_pack("carcassonne")
TILES = [pytest.param(tile, id=tile.id) for tile in BASTIDE.tiles]
#: How far apart two pieces' spots are at least, in tile sides.
APART = 0.15


def test_the_structure_is_the_editions() -> None:
    assert list(BASTIDE.designs) == list(EDITION.designs)
    assert len(BASTIDE.designs) == 24 + 12 + 2
    assert [name.id for _, name in BASTIDE.start_designs] == ["BC-D"]
    for name, design in BASTIDE.designs.items():
        other = EDITION.designs[name]
        assert (design.count, design.tile.deck, design.tile.extra) == (
            other.count,
            other.tile.deck,
            other.tile.extra,
        )
        assert (design.tile.edges, design.tile.sides) == (other.tile.edges, other.tile.sides)
        for ours, theirs in zip(design.tile.features, other.tile.features, strict=True):
            assert (ours.id, ours.kind, ours.ends_in, ours.extra) == (
                theirs.id,
                theirs.kind,
                theirs.ends_in,
                theirs.extra,
            )


@pytest.mark.parametrize("tile", TILES)
def test_features_meet_their_own_edges(tile: Tile) -> None:
    for feature in tile.features:
        edges = {edge for edge, names in tile.sides.items() if feature.id in names}
        if feature.path:
            assert touched_edges(feature.path) == edges
            assert {EDGE_CENTRE[edge] for edge in edges} <= {feature.path[0], feature.path[-1]}
        assert (feature.path is not None) == (feature.kind in ("road", "river"))
        assert (feature.region is not None) == (feature.kind in ("city", "field", "monastery"))


@pytest.mark.parametrize("tile", TILES)
def test_a_field_covers_its_halves_of_the_edges_and_no_others(tile: Tile) -> None:
    fields = [feature for feature in tile.features if feature.kind == "field" and feature.region]
    for edge, names in tile.sides.items():
        for along, name in ((0.25, names[0]), (0.75, names[-1])):
            at = edge_point(edge, along, 0.03)
            holders = [field.id for field in fields if field.region and inside(at, field.region)]
            assert holders == ([name] if tile.feature(name) in fields else [])


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("rot", [0, 270])
def test_a_piece_on_a_spot_is_read_as_on_that_feature(tile: Tile, rot: int) -> None:
    takes, standing = takes_of(BASTIDE), [f for f in tile.features if f.kind != "river"]
    for feature in standing:
        (u, v) = feature.spot
        pose: Pose = "lying" if feature.kind == "field" else "standing"
        assert min(u, v, 1 - u, 1 - v) > 0.08
        if feature.region:
            assert margin(feature.spot, feature.region) > 0.05
        at = (v, 1 - u) if rot else (u, v)
        assert feature_at(BASTIDE.designs[tile.id], rot, at, takes, "meeple", pose) == feature.id
        unsure: dict[Sort, float] = {("meeple", "standing"): 0.5, ("meeple", "lying"): 0.5}
        assert sort_and_feature(BASTIDE.designs[tile.id], rot, at, unsure, takes)[1] == feature.id
    for one, other in combinations(standing, 2):
        assert dist(one.spot, other.spot) > APART, (one.id, other.id)


def test_where_a_farmer_lies_is_decided_by_the_region_and_not_by_the_spot() -> None:
    tile = BASTIDE.designs["BC-V"].tile  # a bend: a large field around a small one
    large, small = (tile.feature(name) for name in ("f0", "f1"))
    assert large is not None and small is not None and large.region is not None
    at = (0.66, 0.95)  # east of the road, nearer to the small field's spot in the west of it
    assert inside(at, large.region)
    assert dist(at, small.spot) < dist(at, large.spot)
    assert feature_at(BASTIDE.designs["BC-V"], 0, at, takes_of(BASTIDE), "meeple", "lying") == "f0"


def test_every_face_and_back_is_there_and_small() -> None:
    files = sorted((PACKS / "bastide" / "art").glob("*.webp"))
    assert {file.stem for file in files} == set(BASTIDE.designs)
    assert sum(file.stat().st_size for file in files) < 2_400_000
    assert all(BASTIDE.back_path(deck) for deck in ("regular", "river"))
    for file in files:
        with Image.open(file) as picture:
            assert picture.size == (512, 512)


def test_twins_differ_by_a_shield_that_is_seen_from_afar() -> None:
    """Tiles that are alike but for a pennant have a large blue place more."""
    for plain, with_pennant in (("BC-N", "BC-M"), ("BC-P", "BC-O"), ("BC-R", "BC-Q"), ("BC-T", "BC-S")):
        blue = []
        for name in (plain, with_pennant):
            picture = cv2.imread(str(PACKS / "bastide" / "art" / f"{name}.webp"))
            assert picture is not None
            b, g, r = (
                cv2.resize(picture, (64, 64), interpolation=cv2.INTER_AREA)[..., c].astype(int)
                for c in range(3)
            )
            blue.append(int(np.count_nonzero((b > r + 60) & (b > g + 40))))
        assert blue[1] > blue[0] + 25, (plain, blue)


@pytest.mark.long
def test_the_written_pack_is_the_drawn_one_and_so_are_its_faces(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    from samples.artwork.bastide.designs import pack
    from samples.artwork.bastide.faces import face
    from samples.artwork.bastide.plans import all_plans
    from samples.artwork.raster import save

    written = json.loads((PACKS / "bastide" / "pack.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(pack()))
    for plan in (plan for plan in all_plans() if plan.id in ("BC-M", "BR-K")):
        save(face(plan), tmp_path / "face.webp")
        shipped = opened(PACKS / "bastide" / "art" / f"{plan.id}.webp")
        assert float(np.abs(opened(tmp_path / "face.webp") - shipped).mean()) < 0.03
