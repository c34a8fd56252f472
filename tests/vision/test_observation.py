"""One picture and its derived values: computed once; quads are cut out straight."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

from engine.tiles.pieces import Sort
from vision.geometry.homography import SQUARE
from vision.observation import Frame, PieceReading, Sight

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 256, (203, 301, 3)).astype(np.uint8)


def test_a_derived_value_is_computed_once_for_the_same_arguments() -> None:
    made: list[tuple[Sight, float]] = []

    def mean(sight: Sight, times: float) -> float:
        made.append((sight, times))
        return times * float(sight.image.mean())

    sight = Sight(NOISE)
    assert sight.once(mean, 2.0) == sight.once(mean, 2.0) == pytest.approx(2.0 * NOISE.mean())
    sight.once(mean, 3.0)
    assert made == [(sight, 2.0), (sight, 3.0)]
    assert sight.shrunk(4) is sight.shrunk(4)
    assert sight.shrunk(1) is sight.image


def test_the_picture_is_frozen_and_its_copies_go_with_it() -> None:
    frame = Frame(NOISE)
    with pytest.raises(ValueError, match="read-only"):
        frame.sight.image[0, 0] = 0
    other = replace(frame, image=NOISE[:64])
    assert other.sight.size_wh == (301, 64)
    shrunk = weakref.ref(frame.sight.shrunk(2))
    del frame
    gc.collect()
    assert shrunk() is None


def test_a_shrunk_picture_averages_squares() -> None:
    small = Sight(NOISE).shrunk(4)
    assert small.shape == (50, 75, 3)
    assert np.abs(small[2, 3] - NOISE[8:12, 12:16].mean(axis=(0, 1))).max() <= 1
    assert Sight(NOISE).shrunk(512).shape == (1, 1, 3)


def test_upright_square_comes_out_as_it_is() -> None:
    quad = SQUARE * 24 + np.array([20, 10]) - 0.5
    assert np.array_equal(Sight(NOISE).crops(quad[None], 24)[0], NOISE[10:34, 20:44])


def test_order_of_corners_turns_the_crop() -> None:
    image = np.zeros((40, 40, 3), np.uint8)
    image[:20, :20] = 255  # white in the north-west
    turned = np.roll(SQUARE * 39, -1, axis=0)  # its first corner is the picture's north-east
    crop = Sight(image).crops(turned[None], 20)[0]
    assert crop[2, 2].max() == 0
    assert crop[17, 2].min() == 255


def test_large_quads_do_not_alias() -> None:
    image = np.zeros((800, 800, 3), np.uint8)
    image[::2] = 255  # lines one pixel wide
    crop = Sight(image).crops((SQUARE * 768 + 13)[None], 96)[0]
    assert abs(float(crop.mean()) - 127) < 3
    assert float(crop.std()) < 10


def test_each_quad_is_cut_from_the_size_that_fits_it() -> None:
    quads = np.stack([SQUARE * side + np.array([20.3, 11.7]) for side in (40, 90, 180)])
    together = Sight(NOISE).crops(quads, 24)
    for quad, crop in zip(quads, together, strict=True):
        assert np.array_equal(crop, Sight(NOISE).crops(quad[None], 24)[0])
    big = np.kron(NOISE[:50, :50], np.ones((4, 4, 1), np.uint8))
    near, far = (Sight(image).crops(quad[None], 24)[0] for image, quad in (
        (NOISE, SQUARE * 24 + 5.0 - 0.5), (big, 4 * (SQUARE * 24 + 5.0) - 0.5)
    ))  # fmt: skip
    assert np.abs(near.astype(int) - far).max() <= 1


def test_outside_the_image_and_none_at_all() -> None:
    sight = Sight(np.full((50, 50, 3), 9, np.uint8))
    far = SQUARE * 400 + np.array([4000, -900])
    assert sight.crops(np.stack([SQUARE * 30, far]), 32).shape == (2, 32, 32, 3)
    assert sight.crops(np.zeros((0, 4, 2)), 32).shape == (0, 32, 32, 3)


def test_an_other_piece_is_what_it_is_likeliest_among_the_kinds_in_play() -> None:
    sorts: dict[Sort, float] = {
        ("other", "lying"): 0.6,
        ("meeple", "standing"): 0.1,
        ("meeple", "lying"): 0.2,
        ("hut", "standing"): 0.1,
    }
    reading = PieceReading("other", "red", "lying", (0, 0), (0.5, 0.5), 0.54, sort_probs=sorts)
    known = reading.among({"meeple"})
    assert known is not None
    assert (known.kind, known.pose, known.color) == ("meeple", "lying", "red")
    assert known.confidence == pytest.approx(0.9 * 0.3)
    assert known.sort_probs == pytest.approx({("meeple", "standing"): 1 / 3, ("meeple", "lying"): 2 / 3})
    assert reading.among({"ranger"}) is None
    assert known.among({"meeple"}) is known and known.among({"hut"}) is None
