"""Training data of the piece detector: picture, lean and labels rotate together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.train.decks import make_deck
from models.train.pieces.pieces_data import (
    NODES,
    Sample,
    Tables,
    load,
    random_tokens,
    sample_from,
    save,
    window,
    with_painted_pieces,
)
from models.train.scenes import make_scene, random_room
from vision.geometry.ortho import CELL_PX
from vision.pieces.detector import STRIDE, TOKEN

SIDE = 160


def dotted(kind: int, visible: float = 1.0) -> Sample:
    """A grey board with one piece: a white dot where it touches, a red one where its top shows."""
    image = np.full((240, 288, 3), 100, np.uint8)
    x, y, lean = 130.0, 90.0, np.array([0.5, -0.25], np.float32)
    image[88:93, 128:133] = 255
    tx, ty = int(x + lean[0] * CELL_PX), int(y + lean[1] * CELL_PX)
    image[ty - 2 : ty + 3, tx - 2 : tx + 3] = (0, 0, 255)
    field = np.broadcast_to(lean, (NODES, NODES, 2)).astype(np.float32)
    labels = np.array([[kind, x, y, 2, visible]], np.float32)
    said = np.zeros((240, 288, 7), np.int8)
    said[88:93, 128:133, 3:6] = 60  # the print does not explain what stands there
    return Sample(image, said, field, np.zeros(3, np.float32), labels)


@pytest.mark.parametrize("seed", range(24))
def test_target_lean_and_picture_stay_together(seed: int) -> None:
    w = window(dotted(1), np.random.default_rng(seed), SIDE)
    hits = np.argwhere(w.heat[0] >= 0.999)
    if len(hits) == 0:  # the cut left it out
        pytest.skip("the piece is outside this cut")
    ((gy, gx),) = hits
    px = (gx + 0.5 + w.offset[0, gy, gx]) * STRIDE - 0.5
    py = (gy + 0.5 + w.offset[1, gy, gx]) * STRIDE - 0.5
    assert w.picture[:3, round(py), round(px)].min() > 0.4  # the ground is -0.2, tints may darken
    tx = round(px + w.context[0, gy, gx] * CELL_PX)
    ty = round(py + w.context[1, gy, gx] * CELL_PX)
    if 3 <= tx < SIDE - 3 and 3 <= ty < SIDE - 3:
        blue, green, red = w.picture[:3, ty, tx]
        assert red > 0.2 > max(blue, green)
    assert (w.kind[gy, gx], w.color[gy, gx]) == (1, 2)
    assert w.picture[6:9, round(py), round(px)].min() > 0.9, "what the print says turns with the picture"


def test_tokens_have_a_map_of_their_own_and_no_kind() -> None:
    for seed in range(10):
        w = window(dotted(TOKEN), np.random.default_rng(seed), SIDE)
        assert w.heat[0].max() == 0
        assert (w.kind == -1).all()


def test_a_nearly_hidden_piece_is_masked_out_and_a_hidden_one_is_absent() -> None:
    faint = [window(dotted(0, 0.3), np.random.default_rng(s), SIDE) for s in range(10)]
    assert all(w.heat.max() == 0 for w in faint)
    assert any(w.keep.min() == 0 for w in faint)
    gone = [window(dotted(0, 0.05), np.random.default_rng(s), SIDE) for s in range(10)]
    assert all(w.heat.max() == 0 and w.keep.min() == 1 for w in gone)


def test_a_sample_of_a_scene_survives_the_disk(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    faces = make_deck(rng, 6, 64, "game").faces
    room = random_room(rng, hands=0.0, tokens=random_tokens(rng, faces))
    scene = make_scene(rng, (640, 360), faces, 5, density=1.0, room=room)
    sample = sample_from(scene, faces, rng)
    assert sample.image.shape[0] % 16 == sample.image.shape[1] % 16 == 0
    assert len(sample.labels) == len(scene.pieces)
    save(sample, tmp_path / "one.npz")
    back = load(tmp_path / "one.npz")
    assert np.array_equal(back.image, sample.image)
    assert np.array_equal(back.print, sample.print)
    assert np.array_equal(back.labels, sample.labels)


def test_as_many_tables_as_are_asked_for_have_a_checked_cloth() -> None:
    rooms = [Tables(seed, checked_share=share).scene()[0].room for seed in (1, 2) for share in (0.0, 1.0)]
    assert [room.startswith("checked") for room in rooms] == [False, True, False, True]


def test_every_second_face_shows_a_painted_piece_and_the_others_stay() -> None:
    plain = np.full((40, 64, 64, 3), 120, np.uint8)
    painted = with_painted_pieces(np.random.default_rng(4), plain)
    changed = (painted != plain).any(axis=(1, 2, 3))
    assert 10 <= changed.sum() <= 30
    share = (painted[changed] != plain[changed]).any(axis=3).mean()
    assert 0.03 < share < 0.5
    assert (plain == 120).all()
