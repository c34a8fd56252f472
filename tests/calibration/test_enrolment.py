"""Enrolment of a folder of pictures: the gallery of its pack, or an error that names the missing pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.enrolment import EnrolmentError, corrected, enrol_pictures
from engine.pack import load_pack
from models import load
from models.train.decks import random_deck
from tests.vision.plain_descriptor import plain_descriptor
from vision.tiles.gallery import build_gallery


def test_a_home_need_not_have_the_optional_tiles(tmp_path: Path) -> None:
    """docs/formats.md, 'Pack': the river of Carcassonne comes in two editions, and many boxes have none."""
    pack = load_pack("carcassonne")
    needed = [name for name, design in pack.designs.items() if not design.tile.optional]
    assert len(needed) == 24
    for name, face in zip(needed, random_deck(np.random.default_rng(2), len(needed), 64), strict=True):
        cv2.imwrite(str(tmp_path / f"{name}.png"), face)
    gallery = enrol_pictures(pack, tmp_path, load("descriptor"))
    assert set(gallery.designs) == set(needed)
    (tmp_path / "BC-C.png").unlink()
    with pytest.raises(EnrolmentError, match="holds no picture of BC-C"):
        enrol_pictures(pack, tmp_path, load("descriptor"))


def test_a_corrected_gallery_is_as_if_it_was_enrolled_so() -> None:
    model, names = plain_descriptor(), ["A", "B", "B", "C"]
    faces = random_deck(np.random.default_rng(3), len(names), 64)
    gallery = build_gallery("toy", zip(names, faces, strict=True), model)
    mended = corrected(gallery, [("A", 1), ("B", 0), ("D", 2), (None, 0)])
    assert mended is not None
    assert mended.designs == ("A", "B", "D") and mended.face_design.tolist() == [0, 1, 2]
    for face, former, turn in zip(mended.faces, gallery.faces, (1, 0, 2), strict=False):
        assert np.array_equal(face, np.rot90(former, turn))
    again = build_gallery("toy", zip(("A", "B", "D"), mended.faces, strict=True), model)
    assert np.allclose(mended.descriptors, again.descriptors, atol=1e-5)
    assert corrected(gallery, [(None, 0)] * 4) is None
