"""A gallery carries its whole pack, animal tiles and all, and is not believed where it is damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.pack import load_pack
from engine.same_pack import structural_difference
from models.train.decks import random_deck
from tests.pictures import decoded
from tests.vision.plain_descriptor import plain_descriptor
from vision.tiles.gallery import Carried, Gallery, GalleryError, build_gallery, with_views
from vision.tiles.gallery_file import load_gallery, pack_in
from vision.tiles.gallery_pack import OTHER_PX, carried_of, carried_pack, carrying, with_faces
from vision.tokens.templates import TokenFaces

PACK = load_pack("savanna")
FILE = Path("some.gallery")


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    faces = random_deck(np.random.default_rng(5), 3, 128)
    named = zip(["CS1", "CS3-E", "CS3-G"], faces, strict=True)
    return replace(build_gallery("savanna", named, plain_descriptor()), carried=carried_of(PACK))


def test_the_pack_comes_back_whole(gallery: Gallery, tmp_path: Path) -> None:
    path = tmp_path / "savanna.gallery"
    gallery.save(path)
    again = load_gallery(path, plain_descriptor())
    assert again.carried == gallery.carried
    pack_id, carried = pack_in(path)
    assert carried is not None and carried == again.carried
    pack = carried_pack(pack_id, carried, path)
    assert structural_difference(PACK, pack) is None
    assert pack.folder is None
    assert pack.designs["CS13-G"].tile.features == PACK.designs["CS13-G"].tile.features
    assert pack.source["art_license"] == PACK.source["art_license"]


def test_animal_tiles_are_known_from_the_gallery_alone(gallery: Gallery, tmp_path: Path) -> None:
    assert gallery.carried is not None
    pack = carried_pack("savanna", gallery.carried, FILE)
    model = plain_descriptor()
    own, carried = TokenFaces.of(PACK, model, tmp_path), TokenFaces.of(pack, model, tmp_path)
    assert own is not None and carried is not None
    assert np.array_equal(own.references, carried.references)


def test_its_faces_are_the_pictures_of_a_pack_without_art(gallery: Gallery) -> None:
    assert gallery.carried is not None
    pack = with_faces(carried_pack("savanna", gallery.carried, FILE), gallery)
    art = pack.art("CS3-E")
    assert art is not None
    assert (art.name, pack.art("CS4-L")) == ("CS3-E.png", None)
    shown = decoded(art.read_bytes())
    assert np.array_equal(shown, gallery.faces[1])
    assert pack.art("token-lion") is not None


def test_more_pictures_do_not_cost_the_pack(gallery: Gallery) -> None:
    more = [("CS1", random_deck(np.random.default_rng(6), 1, 128)[0])]
    assert with_views(gallery, "savanna", more, plain_descriptor()).carried == gallery.carried


def test_an_older_gallery_gets_its_pack_when_it_is_known(gallery: Gallery) -> None:
    assert carrying(replace(gallery, carried=None), PACK).carried == gallery.carried
    assert carrying(gallery, PACK) is gallery


def test_pictures_from_the_folder_of_scans_come_before_the_packs_own(tmp_path: Path) -> None:
    scan = np.full((900, 700, 3), 90, np.uint8)
    cv2.imwrite(str(tmp_path / "token-lion.jpg"), scan)
    pictures = carried_of(PACK, tmp_path).pictures
    lion = decoded(pictures["token-lion.png"], cv2.IMREAD_UNCHANGED)
    assert max(lion.shape[:2]) == OTHER_PX  # large scans are made smaller
    assert pictures["token-zebra.png"] == carried_of(PACK).pictures["token-zebra.png"]
    (tmp_path / "token-lion.jpg").write_bytes(b"no picture")
    with pytest.raises(GalleryError, match=r"token-lion\.jpg"):
        carried_of(PACK, tmp_path)


def large_png() -> bytes:
    """A PNG of few bytes that would fill 48 MB."""
    return cv2.imencode(".png", np.zeros((4000, 4000, 3), np.uint8))[1].tobytes()


@pytest.mark.parametrize(
    ("source", "pictures", "said"),
    [
        ("{", {}, "not JSON"),
        ("[]", {}, "must be an object"),
        ("[" * 100_000, {}, "nested too deeply"),
        (json.dumps(dict(PACK.source) | {"id": "other"}), {}, "carries 'other'"),
        (json.dumps(dict(PACK.source)), {"token-lion.png": b"no picture"}, r"token-lion\.png"),
        (json.dumps(dict(PACK.source)), {"token-lion.png": large_png()}, r"token-lion\.png"),
    ],
)
def test_a_damaged_pack_is_one_line(source: str, pictures: dict[str, bytes], said: str) -> None:
    with pytest.raises(GalleryError, match=said) as caught:
        carried_pack("savanna", Carried(source, pictures), FILE)
    assert str(caught.value).startswith(str(FILE))
    assert "\n" not in str(caught.value)
