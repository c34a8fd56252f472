"""The shipped descriptor on made-up photographs: enough to notice a wrong or broken model."""

from __future__ import annotations

import numpy as np
import pytest

from engine.pack import load_pack
from models import load
from models.loader import OnnxModel
from models.train.decks import make_deck
from models.train.descriptor.baseline import nearest
from models.train.descriptor.judge import read_crops
from models.train.descriptor.views import photograph, random_look, reference_set, table_crop, wrong_corners
from vision.observation import Sight
from vision.tiles.face_classifier import read_quads
from vision.tiles.gallery import build_gallery
from vision.tiles.gallery_file import gallery_of_pack


@pytest.fixture(scope="module")
def model() -> OnnxModel:
    return load("descriptor")


def test_descriptors_have_length_one(model: OnnxModel) -> None:
    crops = np.random.default_rng(0).integers(0, 256, (3, 96, 96, 3)).astype(np.uint8)
    descriptors, visible = model(crops)
    assert descriptors.shape == (3, 144, 32)
    assert visible.shape == (3, 144)
    assert np.allclose(np.linalg.norm(descriptors, axis=2), 1, atol=1e-3)


def test_house_deck_is_read_at_every_turn(model: OnnxModel) -> None:
    """Every face once, under ordinary conditions, with corners about 2 % off."""
    gallery = gallery_of_pack(load_pack("savanna"), model)
    rng = np.random.default_rng(11)
    right = 0
    for number, face in enumerate(gallery.faces):
        if number % 6 == 0:
            look = random_look(rng, hardness=0.6)
        turn = number % 4
        photo, quad, _ = photograph(rng, np.rot90(face, -turn), gallery.faces, look)
        seen = read_quads(Sight(photo), wrong_corners(rng, quad, 0.02)[None], gallery, model)
        best = divmod(int(seen.log_probs[0].argmax()), 4)
        right += best == (gallery.face_design[number], turn)
    assert right >= 0.97 * len(gallery.faces)


@pytest.mark.long
def test_unseen_decks_and_bare_table(model: OnnxModel) -> None:
    """Decks that no training step drew, better than plain colours and gradients; a table is no tile."""
    right = plain = count = 0
    tile_odds, table_odds = [], []
    for seed in range(2):
        rng = np.random.default_rng([123_456, seed])
        faces = make_deck(rng, 16, 160, "game").faces
        scans = reference_set(rng, faces, 192)
        gallery = build_gallery("toy", ((f"F{i}", face) for i, face in enumerate(scans)), model)
        for number in range(16):
            look = random_look(rng, hardness=0.7)
            turn = number % 4
            photo, quad, _ = photograph(rng, np.rot90(faces[number], -turn), faces, look)
            wrong = wrong_corners(rng, quad, 0.025)
            seen = read_quads(Sight(photo), wrong[None], gallery, model)
            best = divmod(int(seen.log_probs[0].argmax()), 4)
            right += best == (number, turn)
            crop = Sight(photo).crops(wrong[None], 96)
            plain += tuple(nearest(crop, scans)[0]) == (number, turn)
            count += 1
            tile_odds.append(float(seen.log_tile[0]))
            table_odds.append(float(read_crops(table_crop(rng, look, 96)[None], gallery, model).log_tile[0]))
    assert right >= 0.9 * count
    assert right >= plain
    assert np.mean(np.array(tile_odds) > 0) > 0.95
    assert np.mean(np.array(table_odds) < 0) > 0.9
