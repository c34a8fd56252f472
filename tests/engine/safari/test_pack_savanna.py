"""The house deck: its counts, its art, and its agreement with the published lists."""

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from engine.pack import Pack, load_pack
from tests.packs import folder_of

FACTS = Path(__file__).parents[1] / "facts" / "safari.json"


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


@pytest.mark.rule("safari-zman-2018", "Components and setup")
def test_there_are_63_designs_on_72_pieces_and_a_start_tile_of_three_cells(pack: Pack) -> None:
    drawn = [design for design in pack.designs.values() if design.tile.start_cell is None]
    assert len(drawn) == 63
    assert sum(design.count for design in drawn) == 72
    assert len(pack.tiles) == 33
    assert [(cell, design.id) for cell, design in pack.start_designs] == [
        ((-1, 0), "CSS-W"),
        ((0, 0), "CSS-C"),
        ((1, 0), "CSS-E"),
    ]


def test_each_animal_is_printed_twenty_times_and_there_are_forty_birds_on_land_tiles(pack: Pack) -> None:
    printed: Counter[str] = Counter()
    birds = 0
    for design in pack.designs.values():
        for animals in design.animals.values():
            for animal in animals:
                printed[animal] += design.count
        if design.tile.start_cell is None:
            birds += design.count * sum(feature.birds for feature in design.tile.features)
    assert printed == dict.fromkeys(("elephant", "giraffe", "lion", "monkey", "zebra"), 20)
    assert birds == 40


@pytest.mark.rule("safari-zman-2018", "Components and setup")
def test_there_are_ten_animal_tiles_of_each_animal(pack: Pack) -> None:
    assert pack.tokens == dict.fromkeys(("elephant", "giraffe", "lion", "monkey", "zebra"), 10)
    assert pack.token_mm == 18
    assert pack.tile_mm == 45


def test_every_face_and_every_animal_tile_has_a_picture_of_at_least_512_px(pack: Pack) -> None:
    for design_id in pack.designs:
        path = pack.art_path(design_id)
        assert path is not None, design_id
        width, height = _size_px(path)
        assert width == height >= 512, path.name
    for animal in pack.tokens:
        path = pack.art_path(f"token-{animal}")
        assert path is not None, animal
        assert min(_size_px(path)) >= 512


def test_no_two_faces_are_one_picture_and_the_art_is_small(pack: Pack) -> None:
    pictures = [path.read_bytes() for path in sorted((folder_of(pack) / "art").iterdir())]
    assert len({hash(picture) for picture in pictures}) == len(pictures) == 66 + 5
    assert sum(map(len, pictures)) < 10_000_000


def test_places_are_inside_the_tile_and_a_baobab_reaches_no_edge(pack: Pack) -> None:
    for tile in (*pack.tiles, *pack.start):
        for feature in tile.features:
            points = [feature.spot, *(feature.path or ()), *(feature.region or ())]
            assert all(0 <= axis <= 1 for point in points for axis in point)
            assert (feature.path is not None) == (feature.kind == "trail")
            assert (feature.region is not None) == (feature.kind == "bush")
            assert (feature.edges == ()) == (feature.kind == "baobab")


def test_the_pack_agrees_with_the_published_lists(pack: Pack) -> None:
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    for published, ours in ((facts["tiles"], pack.tiles), (facts["start"], pack.start)):
        assert [tile["id"] for tile in published] == [tile.id for tile in ours]
        for theirs, tile in zip(published, ours, strict=True):
            assert theirs["edges"] == dict(tile.edges), tile.id
            assert len(theirs["features"]) == len(tile.features)
            for feature in theirs["features"]:
                mine = tile.feature(feature["id"])
                assert mine is not None
                assert mine.kind == feature["kind"]
                assert set(mine.edges) == set(feature.get("edges", ()))
                assert mine.birds == feature.get("birds", 0)
                assert mine.ends_in == feature.get("ends_in")
            for design in theirs["designs"]:
                face = pack.designs[design["id"]]
                assert face.count == design["count"]
                assert {f: list(animals) for f, animals in face.animals.items()} == design["animals"]


def _size_px(path: Path) -> tuple[int, int]:
    """Width and height of a picture."""
    with Image.open(path) as picture:
        return picture.size
