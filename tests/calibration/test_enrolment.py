"""Enrolment of a folder of pictures: the gallery of its pack, or an error that names the missing pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.enrolment import EnrolmentError, enrol_pictures
from engine.pack import load_pack
from models import load
from models.train.decks import random_deck


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
