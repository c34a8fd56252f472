"""Reading tiles at known corners."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.decks import make_deck
from tests.vision.plain_descriptor import plain_descriptor
from vision.geometry.homography import SQUARE
from vision.observation import BoardPose, Sight
from vision.tiles.face_classifier import read_quads, read_tiles, to_readings
from vision.tiles.gallery import Gallery, build_gallery
from vision.tiles.matching import Match, ScoreValues
from vision.tiles.params import PARAMS

FACE_PX = 96


def table(
    seed: int = 1,
) -> tuple[np.ndarray, dict[tuple[int, int], np.ndarray], list[tuple[int, int]], Gallery]:
    """A picture of 6 faces in two rows, each turned; its quads by cell, what was laid, the gallery."""
    rng = np.random.default_rng(seed)
    faces = make_deck(rng, 6, FACE_PX, "game").faces
    image = np.full((260, 360, 3), 90, np.uint8)
    quads, laid = {}, []
    for index in range(6):
        x, y, turn = index % 3, index // 3, int(rng.integers(4))
        top, left = 20 + y * (FACE_PX + 4), 20 + x * (FACE_PX + 4)
        image[top : top + FACE_PX, left : left + FACE_PX] = np.rot90(faces[index], -turn)
        quads[(x, y)] = (SQUARE * FACE_PX + np.array([left, top]) - 0.5).astype(np.float32)
        laid.append((index, turn))
    named = ((f"F{i}", face) for i, face in enumerate(faces))
    return image, quads, laid, build_gallery("toy", named, plain_descriptor())


def test_faces_and_turns_are_read() -> None:
    image, quads, laid, gallery = table()
    pose = BoardPose(np.eye(3), quads, (360, 260), 1.0)
    readings = read_tiles(Sight(image), pose, gallery, plain_descriptor())
    assert list(readings) == list(quads)
    for reading, (face, turn) in zip(readings.values(), laid, strict=True):
        assert reading.log_probs.shape == (6, 4)
        assert np.isclose(np.exp(reading.log_probs).sum(), 1, atol=1e-4)
        assert divmod(int(reading.log_probs.argmax()), 4) == (face, turn)
        assert 0 <= reading.covered < 0.1


def test_several_faces_of_a_design_speak_for_it() -> None:
    image, quads, laid, gallery = table()
    faces = [("one" if i < 3 else "two", face) for i, face in enumerate(gallery.faces)]
    pairs = build_gallery("toy", faces, plain_descriptor())
    seen = read_quads(Sight(image), np.stack(list(quads.values())), pairs, plain_descriptor())
    assert seen.log_probs.shape == (6, 2, 4)
    best = [divmod(int(row.argmax()), 4) for row in seen.log_probs]
    assert best == [(face // 3, turn) for face, turn in laid]


def test_no_quads_no_readings() -> None:
    image, _, _, gallery = table()
    seen = read_quads(Sight(image), np.zeros((0, 4, 2)), gallery, plain_descriptor())
    assert seen.log_probs.shape == (0, 6, 4)
    assert seen.log_tile.shape == (0,)
    assert len(seen.hidden) == 0


def test_gallery_of_another_model_is_refused() -> None:
    image, quads, _, gallery = table()
    with pytest.raises(ValueError, match="another model"):
        read_quads(Sight(image), np.stack(list(quads.values())), gallery, plain_descriptor("newer"))


def test_one_face_much_likelier_than_all_others_speaks_for_a_tile() -> None:
    _, _, _, gallery = table()
    total = np.zeros((2, 4 * len(gallery.designs)), np.float32)
    total[0, 5] = 20.0  # one face, one way round
    total[1, 5:7] = 20.0  # as likely the other way round
    known = np.array([1.0, 0.5], np.float32)
    match = Match(total, total, known, np.full(2, 0.6, np.float32), np.zeros((2, 36), np.bool_))
    values = ScoreValues(1.0, 0.5, 0.0, 0.0, 0.0, tile_slope=10.0, tile_middle=0.5)
    lone, rivalled = to_readings(match, gallery, values).log_tile
    assert lone == pytest.approx(rivalled + PARAMS.one_face_nats)
