"""Which pack and faces a command works with: asked for, carried by a gallery, enrolled, or the game's own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.games import game_named, game_names
from engine.pack import PackError, load_pack
from models import load
from tests.pictures import decoded
from tests.tilesight.toy_pack import edition, gallery_of, toy_values, write_pack
from tests.vision.toy_boards import toy_faces
from tilesight.settings import (
    SettingsError,
    box_of,
    candidates,
    enrolled_gallery,
    house_deck,
    known_pack,
    open_pack,
    pack_of_game,
    pictured,
)
from vision.tiles.gallery import GalleryError, build_gallery
from vision.tiles.gallery_pack import carried_of


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_gallery_is_all_that_is_needed_of_a_pack_from_a_folder(tmp_path: Path) -> None:
    path = gallery_of(write_pack(tmp_path / "toy"), tmp_path / "toy.gallery")
    pack, faces = open_pack(None, path)
    assert pack is not None and faces is not None
    assert (pack.id, pack.folder, faces.designs) == ("toy", None, ("T0", "T1"))
    art = pack.art("T1")
    assert art is not None  # the dashboard shows the faces
    assert np.array_equal(decoded(art.read_bytes()), faces.faces[1])
    assert known_pack("toy", path).designs.keys() == pack.designs.keys()


def test_a_pack_that_was_enrolled_is_known_by_its_id(tmp_path: Path) -> None:
    with pytest.raises(PackError):
        open_pack("toy", None)
    gallery_of(write_pack(tmp_path / "toy"), enrolled_gallery("toy"))
    pack, faces = open_pack("toy", None)
    assert pack is not None and faces is not None and pack.id == faces.pack_id == "toy"
    assert known_pack("toy").id == "toy"
    with pytest.raises(PackError):
        open_pack("../toy", None)


def test_a_gallery_of_an_earlier_version_finds_its_pack_by_its_id(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "toy")
    path = gallery_of(folder, tmp_path / "old.gallery", carries=False)
    with pytest.raises(SettingsError, match="name the pack's folder with --pack"):
        open_pack(None, path)
    pack, _ = open_pack(str(folder), path)
    assert pack is not None and pack.id == "toy"
    faces = zip(["CS1", "CS3-E"], toy_faces(4, 2, 128), strict=True)
    build_gallery("savanna", faces, load("descriptor")).save(tmp_path / "own.gallery")
    pack, _ = open_pack(None, tmp_path / "own.gallery")
    assert pack is not None and pack.folder is not None


@pytest.mark.parametrize("named", [None, "savanna"])
def test_animal_tiles_of_another_drawing_are_those_of_its_gallery(tmp_path: Path, named: str | None) -> None:
    shipped = load_pack("savanna")
    scan = tmp_path / "token-lion.png"
    scan.write_bytes((shipped.art("token-zebra") or scan).read_bytes())
    gallery = build_gallery("savanna", [("CS1", toy_faces(4, 1, 128)[0])], load("descriptor"))
    path = tmp_path / "own.gallery"
    replace(gallery, carried=carried_of(shipped, tmp_path)).save(path)
    pack, _ = open_pack(named, path)
    assert pack is not None
    lion, zebra = pack.art("token-lion"), pack.art("token-zebra")
    assert lion is not None and zebra is not None
    assert lion.read_bytes() == zebra.read_bytes()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "other"}, "is of pack 'toy', not of 'other'"),
        ({"tiles": toy_values(count=1)["tiles"]}, "differ in tile T1"),
        ({"game": "safari"}, "differ in the game"),
        ({"tokens": {"animals": {"lion": 3}}}, "differ in the animal tiles"),
        ({"title": "Another title", "tile_mm": 44}, None),
    ],
)
def test_a_pack_and_a_gallery_that_are_named_both_must_agree(
    tmp_path: Path, changes: dict[str, Any], said: str | None
) -> None:
    path = gallery_of(write_pack(tmp_path / "toy", toy_values(count=2)), tmp_path / "toy.gallery")
    other = write_pack(tmp_path / "other", toy_values(count=2) | changes, art=False)
    if said is None:
        assert open_pack(str(other), path)[0] is not None
        return
    with pytest.raises(SettingsError, match=said):
        open_pack(str(other), path)


def test_a_shipped_pack_comes_before_the_same_edition_in_a_gallery(tmp_path: Path) -> None:
    own = dict(load_pack("savanna").source)
    moved = {**own, "tiles": [{**own["tiles"][0], "title": "as it was"}, *own["tiles"][1:]]}
    for tile in moved["tiles"]:
        tile["features"] = [{**feature, "spot": [0.1, 0.1]} for feature in tile["features"]]
    path = gallery_of(write_pack(tmp_path / "savanna", moved, art=False), tmp_path / "old.gallery")
    pack, _ = open_pack(None, path)
    assert pack is not None
    spots = {feature.spot for tile in pack.tiles for feature in tile.features}
    assert spots != {(0.1, 0.1)}  # where pieces stand is known better today
    fewer = {**own, "tiles": own["tiles"][:5]}
    path = gallery_of(write_pack(tmp_path / "fewer", fewer, art=False), tmp_path / "fewer.gallery")
    pack, _ = open_pack(None, path)
    assert pack is not None and len(pack.tiles) == 5  # another edition of that name is taken as it is
    with pytest.raises(SettingsError, match="differ in tile"):
        open_pack("savanna", path)


def test_without_a_pack_the_default_one_is_opened(tmp_path: Path) -> None:
    pack, _ = open_pack(None, None)
    assert pack is not None and pack.id == "savanna"
    assert open_pack("none", None) == (None, None)
    with pytest.raises(SettingsError, match="takes no --gallery"):
        open_pack("none", tmp_path / "some.gallery")
    with pytest.raises(SettingsError, match="tilesight enrol --pack hunters-gatherers-2020"):
        open_pack("hunters-gatherers-2020", None)


def test_a_game_is_seen_with_what_was_enrolled_last_else_with_what_ships(tmp_path: Path) -> None:
    assert pack_of_game("safari") == ("savanna", None)
    assert pack_of_game("tricky-safari") == ("tricky-safari", None)
    for age, name in enumerate(("second", "first")):
        gallery_of(edition(tmp_path, name), enrolled_gallery(name))
        os.utime(enrolled_gallery(name), (1000 - age, 1000 - age))
    gallery_of(edition(tmp_path, "none-of-it", game="other"), enrolled_gallery("none-of-it"))
    enrolled_gallery("damaged").write_bytes(b"damaged")
    assert pack_of_game("safari") == (None, enrolled_gallery("second"))
    pack, faces = open_pack(None, None, "safari")
    assert pack is not None and faces is not None and pack.id == faces.pack_id == "second"
    assert pack.designs["CS13-G"].tile.features


def test_a_game_without_any_faces_says_how_to_enrol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.settings.pack_ids", lambda: ("hunters-gatherers-2020",))
    with pytest.raises(SettingsError, match="tilesight enrol --pack hunters-gatherers-2020 --images FOLDER"):
        open_pack(None, None, "hunters-gatherers")


def test_a_photograph_may_be_of_all_that_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = [one.name for one in candidates()]
    assert shipped[0] == "savanna" and "tricky-safari" in shipped
    assert "hunters-gatherers-2020" not in shipped  # ships without art
    gallery_of(write_pack(tmp_path / "toy"), enrolled_gallery("toy"))
    old = gallery_of(write_pack(tmp_path / "gone"), enrolled_gallery("gone"), carries=False)
    enrolled_gallery("damaged").write_bytes(b"damaged")
    found = {one.name: one for one in candidates()}
    assert set(found) == {*shipped, "toy", "gone"} and next(iter(found)) == "savanna"
    assert "damaged.gallery: not a gallery file" in capsys.readouterr().err
    opened = found["toy"].open()
    assert opened is not None and opened[0].id == "toy"
    assert found["gone"].open() is None
    assert f"{old} does not carry its pack 'gone'" in capsys.readouterr().err


def test_a_gallery_that_carries_a_damaged_pack_is_said(tmp_path: Path) -> None:
    path = gallery_of(write_pack(tmp_path / "toy"), tmp_path / "toy.gallery")
    with np.load(path) as file:
        fields = {name: file[name] for name in file.files}
    fields["pack_json"] = np.frombuffer(b'{"id":"toy","tiles":7}', np.uint8)
    with path.open("wb") as out:
        np.savez(out, **fields)
    with pytest.raises(GalleryError, match="the pack that it carries is damaged: tiles"):
        open_pack(None, path)


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_box_to_teach_beside_its_house_deck(game: str) -> None:
    deck = house_deck(load_pack(game_named(game).default_pack))
    assert deck is not None and deck.game == game
    box = box_of(deck)
    assert box.id != deck.id and not box.ships_faces and box_of(box) is box
    assert all(pictured(box).art(name) == deck.art(name) for name in (*box.designs, *box.other_stems))


def test_the_gallery_of_a_pack_shows_its_own_faces(tmp_path: Path) -> None:
    """A pack with pictures, seen with a gallery: its tiles and animals are those of the gallery."""
    deck, drawn = load_pack("tricky-safari"), np.full((256, 256, 3), 77, np.uint8)
    gallery = build_gallery(deck.id, [(name, drawn) for name in deck.designs], load("descriptor"))
    replace(gallery, carried=carried_of(deck)).save(tmp_path / "mine.gallery")
    pack, _ = open_pack(None, tmp_path / "mine.gallery")
    assert pack is not None
    for name in pack.designs:
        art = pack.art(name)
        assert art is not None and np.array_equal(decoded(art.read_bytes()), drawn)
