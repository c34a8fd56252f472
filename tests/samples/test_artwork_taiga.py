"""The deck `taiga`: its pack equals the 2020 edition's, and its pictures show its pack."""

import json
from itertools import combinations
from math import dist
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from engine.pack import Feature, Pack, Tile, load_pack
from samples.artwork.geometry import (
    EDGE_CENTRE,
    distance_to_line,
    edge_point,
    margin,
)
from samples.artwork.taiga.shores import FROM, TIP, TO
from samples.artwork.taiga.structure import all_tiles
from tests.samples.faces import opened, touched_edges
from vision.pieces.feature_assignment import feature_at, takes_of

PACKS = Path(__file__).parents[2] / "engine" / "packs"
TAIGA: Pack = load_pack("taiga")
EDITION: Pack = load_pack("hunters-gatherers-2020")
TILES = [pytest.param(tile, id=tile.id) for tile in (*TAIGA.tiles, *TAIGA.start)]
#: Pixels of a side of the masks that the laws are read from.
SIDE = 400
#: Half the width of a river in tile sides.
RIVER = 0.055
#: How far inside its feature and the tile a spot lies, and how far from another feature's, in tile sides.
INSIDE, APART = 0.08, 0.17
#: CIE 1976 difference of any two badges' fields in any simulated colour vision: ten times what is just seen.
TOLD_APART = 25.0
#: What a person sees who lacks a kind of cone, linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)
    ),
}  # fmt: skip


def kinds(tile: Tile, kind: str) -> list[Feature]:
    return [feature for feature in tile.features if feature.kind == kind]


def edges(tile: Tile, feature: Feature) -> set[str]:
    """The edges that a feature meets."""
    return {edge for edge, names in tile.sides.items() if feature.id in names}


def spots(feature: Feature) -> list[tuple[str, Any]]:
    """The places of pieces on a feature: (kind of piece, point)."""
    found: list[tuple[str, Any]] = [] if feature.kind == "lake" else [("meeple", feature.spot)]
    return found if feature.hut_spot is None else [*found, ("hut", feature.hut_spot)]


def painted(tile: Tile, kind: str) -> np.ndarray:
    """Where a tile has features of a kind by the pack's own lines, [SIDE, SIDE], 255 there."""
    mask = np.zeros((SIDE, SIDE), np.uint8)
    for feature in kinds(tile, kind):
        line = np.round(np.array(feature.path or feature.region) * SIDE - 0.5).astype(np.int32)
        if feature.path:
            cv2.polylines(mask, [line], False, 255, round(2 * RIVER * SIDE))
        else:
            cv2.fillPoly(mask, [line], 255)
    return mask


def anchors(tile: Tile) -> list[tuple[str, tuple[float, float]]]:
    """A point of each stretch of grass at the border, with its feature."""
    found = []
    for edge, names in tile.sides.items():
        if len(names) == 3:
            found += [(names[0], edge_point(edge, 0.25, 0.03)), (names[2], edge_point(edge, 0.75, 0.03))]
        elif tile.edges[edge] == "grassland":
            found.append((names[0], edge_point(edge, 0.5, 0.03)))
    return found


def test_the_structure_is_the_editions() -> None:
    assert set(TAIGA.designs) == set(EDITION.designs)
    assert [tile.id for tile in TAIGA.start] == [tile.id for tile in EDITION.start] == ["HG56"]
    for name, design in TAIGA.designs.items():
        other = EDITION.designs[name]
        assert (design.count, design.animals) == (other.count, other.animals)
        assert (design.tile.edges, design.tile.sides) == (other.tile.edges, other.tile.sides)
        assert design.tile.deck == other.tile.deck
        for ours, theirs in zip(design.tile.features, other.tile.features, strict=True):
            assert (ours.id, ours.kind, ours.edges) == (theirs.id, theirs.kind, theirs.edges)
            assert (ours.hut_spot is None) == (theirs.hut_spot is None)
            assert ours.extra == theirs.extra


def test_no_place_is_the_editions() -> None:
    for name, design in TAIGA.designs.items():
        for ours, theirs in zip(design.tile.features, EDITION.designs[name].tile.features, strict=True):
            assert ours.spot != theirs.spot


@pytest.mark.parametrize("tile", TILES)
def test_a_river_meets_its_edges_at_their_centres_and_ends_in_its_lake_or_a_forest(tile: Tile) -> None:
    for river in kinds(tile, "river"):
        assert river.path is not None
        ends = [river.path[0], river.path[-1]]
        assert touched_edges(river.path) == edges(tile, river)
        assert {EDGE_CENTRE[edge] for edge in edges(tile, river)} <= set(ends)
        if len(edges(tile, river)) == 1:
            lake = river.extra.get("lake")
            into = [f for f in tile.features if (f.id == lake if lake else f.kind == "forest")]
            assert any(margin(river.path[-1], f.region) > 0.03 for f in into if f.region)


@pytest.mark.parametrize("tile", TILES)
def test_a_forest_fills_the_same_part_of_each_of_its_edges(tile: Tile) -> None:
    for forest in kinds(tile, "forest"):
        assert forest.region is not None
        touched = touched_edges(forest.region)
        for edge in edges(tile, forest):
            along = [p for p in forest.region if edge in touched_edges([p])]
            for end in (FROM, TO):
                assert min(dist(p, edge_point(edge, end)) for p in along) < 0.002
        for edge in touched - edges(tile, forest):  # only an arm's tip, which parts grasslands in a corner
            along = [p for p in forest.region if edge in touched_edges([p])]
            assert all(min(dist(p, edge_point(edge, end)) for end in (0, 1)) < TIP + 0.002 for p in along)


@pytest.mark.parametrize("tile", TILES)
def test_grasslands_are_parted_and_joined_as_the_pack_says(tile: Tile) -> None:
    wood_or_water = painted(tile, "forest") | painted(tile, "river") | painted(tile, "lake")
    _, labels = cv2.connectedComponents(np.where(wood_or_water > 0, 0, 255).astype(np.uint8), connectivity=4)
    seen: dict[str, set[int]] = {}
    for name, (u, v) in anchors(tile):
        seen.setdefault(name, set()).add(int(labels[int(v * SIDE), int(u * SIDE)]))
    assert all(len(found) == 1 and 0 not in found for found in seen.values())
    assert len(set.union(*seen.values()) if seen else set()) == len(seen)
    for grass in kinds(tile, "grassland"):
        assert grass.region is not None
        assert labels[int(grass.spot[1] * SIDE), int(grass.spot[0] * SIDE)] in seen[grass.id]


@pytest.mark.parametrize("tile", TILES)
def test_a_spot_lies_on_its_own_feature_clear_of_the_rim_and_of_other_spots(tile: Tile) -> None:
    for feature in tile.features:
        for _, at in spots(feature):
            assert min(*at, 1 - at[0], 1 - at[1]) > INSIDE
            if feature.path:
                assert distance_to_line(at, feature.path) < 0.01
            else:
                assert feature.region is not None
                assert margin(at, feature.region) > INSIDE
            for other in kinds(tile, "forest"):
                if other is not feature and other.region:
                    assert margin(at, other.region) < (-0.03 if feature.path else -INSIDE)
    for one, other in combinations(tile.features, 2):
        for (_, a), (_, b) in ((a, b) for a in spots(one) for b in spots(other)):
            assert dist(a, b) > APART - 0.005


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("rot", [0, 90])
def test_a_piece_on_a_spot_is_read_as_standing_on_that_feature(tile: Tile, rot: int) -> None:
    for feature in tile.features:
        for kind, (u, v) in spots(feature):
            lies = feature.kind == "grassland"
            at = (1 - v, u) if rot else (u, v)
            pose: Any = "lying" if lies else "standing"
            piece: Any = kind
            assert feature_at(TAIGA.designs[tile.id], rot, at, takes_of(TAIGA), piece, pose) == feature.id


def test_every_face_is_there_and_small() -> None:
    files = sorted((PACKS / "taiga" / "art").glob("*.webp"))
    assert {file.stem for file in files} == set(TAIGA.designs)
    sizes = [file.stat().st_size for file in files]
    assert max(sizes) < 75_000
    assert sum(sizes) < 6_000_000
    for file in files:
        with Image.open(file) as picture:
            assert picture.size == (512, 512)


def test_animals_are_told_apart_in_any_colour_vision() -> None:
    pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    from samples.artwork.raster import rgb
    from samples.artwork.taiga.badges import FIELDS, outline

    middles = np.array([(rgb(light) + rgb(dark)) / 2 for light, dark in FIELDS.values()], np.float32)
    linear = np.where(middles <= 0.04045, middles / 12.92, ((middles + 0.055) / 1.055) ** 2.4)
    for name, matrix in VISIONS.items():
        seen = np.clip(linear @ np.array(matrix).T, 0, 1)
        coded = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055)
        lab = cv2.cvtColor(coded[None].astype(np.float32), cv2.COLOR_RGB2Lab)[0]
        for (a, one), (b, other) in combinations(zip(FIELDS, lab, strict=True), 2):
            assert np.linalg.norm(one - other) > TOLD_APART, (name, a, b)
    assert len({outline(animal) for animal in FIELDS}) == len(FIELDS)


def test_animals_of_the_game_all_have_a_badge() -> None:
    pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    from samples.artwork.taiga.badges import FIELDS
    from samples.artwork.taiga.powers import EMBLEMS

    features = [(tile, name) for tile in all_tiles() for name in tile.features]
    assert {animal for tile, name in features for animal in tile.animals(name)} == set(FIELDS)
    assert {power for tile, name in features if (power := tile.power(name))} == set(EMBLEMS)


@pytest.mark.long
def test_the_written_pack_is_the_drawn_one_and_so_are_its_faces(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    from samples.artwork.raster import save
    from samples.artwork.taiga.designs import pack
    from samples.artwork.taiga.faces import face
    from samples.artwork.taiga.places import settled

    written = json.loads((PACKS / "taiga" / "pack.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(pack()))
    files = {name: PACKS / "taiga" / "art" / f"{name}.webp" for name in ("HG13", "HG88")}
    shipped = {name: opened(file) for name, file in files.items()}
    for name in files:
        save(face(*settled()[name]), tmp_path / "face.webp")
        drawn = opened(tmp_path / "face.webp")
        off = {other: float(np.abs(drawn - there).mean()) for other, there in shipped.items()}
        assert off[name] < 0.03 < 0.06 < min(value for other, value in off.items() if other != name)


@pytest.mark.long
def test_everything_countable_is_drawn_once_and_apart() -> None:
    from samples.artwork.taiga.places import FISH, settled

    for layout, places in settled().values():
        tile = layout.tile
        for name, feature in tile.features.items():
            assert len(places.fish.get(name, [])) == feature.get("fish", 0)
            assert len(places.animals.get(name, [])) == len(feature.get("animals", []))
            assert len(places.mushrooms.get(name, [])) == feature.get("mushrooms", 0)
            assert (name in places.menhirs) == bool(feature.get("menhir"))
            assert (name in places.powers) == ("power" in feature)
        fish = [at for found in places.fish.values() for at in found]
        badges = [at for found in places.animals.values() for at in found]
        assert all(dist(a, b) > 1.6 * FISH for a, b in combinations(fish, 2))
        assert all(dist(a, b) > 2 * places.radius for a, b in combinations(badges, 2))
