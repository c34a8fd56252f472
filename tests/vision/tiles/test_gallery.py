"""Galleries: building, keeping, reading back, and everything that can be wrong with a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.pack import load_pack
from models.train.decks import random_deck
from tests.vision.plain_descriptor import plain_descriptor
from vision.tiles.gallery import MOST_FACES, Gallery, GalleryError, build_gallery, with_look, with_views
from vision.tiles.gallery_file import gallery_of_folder, gallery_of_pack, load_gallery
from vision.tiles.look import Look, through_look


@pytest.fixture
def gallery() -> Gallery:
    faces = random_deck(np.random.default_rng(5), 4, 128)
    return build_gallery("toy", zip(["A", "B", "A", "C"], faces, strict=True), plain_descriptor())


def test_several_faces_of_one_design(gallery: Gallery) -> None:
    assert gallery.designs == ("A", "B", "C")
    assert gallery.face_design.tolist() == [0, 1, 0, 2]
    assert gallery.faces.shape == (4, 256, 256, 3)
    assert gallery.descriptors.shape == (4, 4, 144, 12)
    assert gallery.references.shape == (16, 196, 12)


def test_turns_are_clockwise(gallery: Gallery) -> None:
    turned = build_gallery("toy", [("A", np.rot90(gallery.faces[0], -1))], plain_descriptor())
    assert np.allclose(turned.descriptors[0, 0], gallery.descriptors[0, 1], atol=1e-5)


def test_saved_and_read_back(gallery: Gallery, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "toy.gallery"
    gallery.save(path)
    again = load_gallery(path, plain_descriptor())
    assert again.pack_id == "toy"
    assert again.designs == gallery.designs
    assert np.array_equal(again.faces, gallery.faces)
    assert np.allclose(again.descriptors, gallery.descriptors, atol=2e-3)
    assert [p.name for p in path.parent.iterdir()] == ["toy.gallery"]


def test_another_model_describes_the_faces_afresh(gallery: Gallery, tmp_path: Path) -> None:
    path = tmp_path / "toy.gallery"
    gallery.save(path)
    newer = load_gallery(path, plain_descriptor("newer"))
    assert newer.model_sha256 == "newer"
    assert np.array_equal(newer.descriptors, gallery.descriptors)


@pytest.mark.parametrize("cut", [0, 10, 1000, -40])
def test_damaged_file_is_one_line(gallery: Gallery, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "toy.gallery"
    gallery.save(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(GalleryError) as caught:
        load_gallery(path, plain_descriptor())
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_galleries(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="cannot be read"):
        load_gallery(tmp_path / "none.gallery", plain_descriptor())
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(GalleryError, match="not a gallery file"):
        load_gallery(tmp_path / "other.npz", plain_descriptor())
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(GalleryError, match="not a gallery file"):
        load_gallery(tmp_path / "array.npy", plain_descriptor())


def test_folder_names_designs_up_to_the_underscore(tmp_path: Path) -> None:
    faces = random_deck(np.random.default_rng(6), 3, 96)
    for name, face in zip(["X1_01.png", "X1_02.jpg", "X2.png"], faces, strict=True):
        cv2.imwrite(str(tmp_path / name), face)
    (tmp_path / "notes.txt").write_text("no picture")
    gallery = gallery_of_folder(tmp_path, "toy", plain_descriptor())
    assert gallery.designs == ("X1", "X2")
    assert gallery.face_design.tolist() == [0, 0, 1]


def test_folders_that_will_not_do(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="cannot be read as a folder"):
        gallery_of_folder(tmp_path / "none", "toy", plain_descriptor())
    with pytest.raises(GalleryError, match="holds no pictures"):
        gallery_of_folder(tmp_path, "toy", plain_descriptor())
    (tmp_path / "X1.png").write_bytes(b"")
    with pytest.raises(GalleryError, match=r"X1\.png: the file is empty"):
        gallery_of_folder(tmp_path, "toy", plain_descriptor())


def test_pack_gallery_is_kept_and_renewed(tmp_path: Path) -> None:
    pack = load_pack("savanna")
    if any(pack.art_path(design) is None for design in pack.designs):
        pytest.skip("the house deck's art is not drawn yet")
    first = gallery_of_pack(pack, plain_descriptor(), tmp_path)
    assert first.designs == tuple(pack.designs)
    (kept,) = tmp_path.iterdir()
    again = gallery_of_pack(pack, plain_descriptor(), tmp_path)
    assert np.array_equal(first.faces, again.faces)
    kept.write_bytes(b"broken")
    assert gallery_of_pack(pack, plain_descriptor(), tmp_path).designs == first.designs
    gallery_of_pack(pack, plain_descriptor("newer"), tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_board_is_searched_by_the_first_picture_of_each_design() -> None:
    faces = [np.full((256, 256, 3), shade, np.uint8) for shade in (10, 20, 30, 40)]
    gallery = build_gallery("toy", zip("ABAB", faces, strict=True), plain_descriptor())
    assert gallery.firsts[:, 0, 0, 0].tolist() == [10, 20]


def rewritten(path: Path, **changes: np.ndarray) -> Path:
    """The gallery file with some of its fields changed."""
    with np.load(path) as file:
        fields: dict[str, Any] = {name: file[name] for name in file.files}
    with path.open("wb") as file:
        np.savez(file, **{**fields, **changes})
    return path


def test_a_face_larger_than_a_face_is_not_decoded(
    gallery: Gallery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = cv2.imdecode

    def small(code: np.ndarray, how: int) -> np.ndarray:
        face = decode(code, how)
        assert face is not None and face.shape == (256, 256, 3)
        return face

    path = tmp_path / "toy.gallery"
    gallery.save(path)
    codes = [cv2.imencode(".png", np.zeros((side, side, 3), np.uint8))[1].reshape(-1) for side in (256, 4096)]
    lengths = np.array([len(codes[0])] * 3 + [len(codes[1])], np.int64)
    rewritten(path, pictures=np.concatenate([codes[0]] * 3 + [codes[1]]), lengths=lengths)
    monkeypatch.setattr(cv2, "imdecode", small)
    with pytest.raises(GalleryError, match="damaged"):
        load_gallery(path, plain_descriptor())


def test_few_bytes_do_not_make_many_faces(gallery: Gallery, tmp_path: Path) -> None:
    path = tmp_path / "toy.gallery"
    gallery.save(path)
    code = cv2.imencode(".png", np.zeros((256, 256, 3), np.uint8))[1].reshape(-1)
    many = MOST_FACES + 1
    for pictures, lengths in (
        (np.tile(code, many), np.full(many, len(code))),
        (code, np.tile([len(code), -len(code)], many)[:-1]),  # the same bytes again and again
    ):
        rewritten(path, pictures=pictures, lengths=lengths.astype(np.int64))
        with pytest.raises(GalleryError, match="damaged"):
            load_gallery(path, plain_descriptor())
    with pytest.raises(GalleryError, match="are more than"):
        build_gallery("toy", [("A", gallery.faces[0])] * many, plain_descriptor())


def test_descriptors_of_another_kind_are_not_taken(gallery: Gallery, tmp_path: Path) -> None:
    path = tmp_path / "toy.gallery"
    gallery.save(path)
    rewritten(path, descriptors=np.ones((4, 4, 144, 12), np.int8))
    assert np.array_equal(load_gallery(path, plain_descriptor()).descriptors, gallery.descriptors)


LAMP: Look = np.array([[0.5, 0.1, 0.0], [0.1, 0.6, 0.0], [0.0, 0.2, 0.9], [30, 10, 0]], np.float32)


def test_a_look_changes_how_the_first_face_of_a_design_is_described(gallery: Gallery) -> None:
    looking = with_look(gallery, LAMP, plain_descriptor())
    seen = through_look(gallery.faces, LAMP)
    described = build_gallery("toy", zip("ABAC", seen, strict=True), plain_descriptor()).descriptors
    assert np.array_equal(looking.faces, gallery.faces)  # pictures stay as they were enrolled
    assert np.allclose(looking.descriptors[[0, 1, 3]], described[[0, 1, 3]], atol=1e-5)
    assert np.allclose(looking.descriptors[2], gallery.descriptors[2], atol=1e-5)  # a view from a table
    assert np.array_equal(with_look(looking, None, plain_descriptor()).descriptors, gallery.descriptors)


def test_look_and_temperature_stay_with_the_file_and_with_further_views(
    gallery: Gallery, tmp_path: Path
) -> None:
    path = tmp_path / "toy.gallery"
    learned = replace(with_look(gallery, LAMP, plain_descriptor()), temperature=1.5)
    learned.save(path)
    for model in (plain_descriptor(), plain_descriptor("newer")):
        again = load_gallery(path, model)
        assert again.look is not None and np.array_equal(again.look, LAMP)
        assert again.temperature == 1.5
        assert np.allclose(again.descriptors, learned.descriptors, atol=2e-3)
    grown = with_views(learned, "toy", [("B", gallery.faces[3])], plain_descriptor())
    assert grown.look is learned.look and grown.temperature == 1.5
    assert np.allclose(grown.descriptors[0], learned.descriptors[0], atol=1e-5)


@pytest.mark.parametrize(
    "fields",
    [
        {"look": np.zeros((3, 3), np.float32)},
        {"look": np.full((4, 3), np.nan, np.float32)},
        {"look": np.full((4, 3), 1e6, np.float32)},
        {"temperature": np.array(0.0)},
        {"temperature": np.array(np.inf)},
        {"temperature": np.array("hot")},
    ],
)
def test_an_implausible_look_or_temperature_is_refused(
    gallery: Gallery, tmp_path: Path, fields: dict[str, np.ndarray]
) -> None:
    path = tmp_path / "toy.gallery"
    with_look(gallery, LAMP, plain_descriptor()).save(path)
    rewritten(path, **fields)
    with pytest.raises(GalleryError, match="damaged"):
        load_gallery(path, plain_descriptor())
