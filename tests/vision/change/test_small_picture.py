"""Where two pictures of one camera differ."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.change.small_picture import Changes, SmallPicture, differs, light_between
from vision.observation import BoardPose, Image, Sight

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
QUADS = {(x, 0): np.float32(160) * (SQUARE + np.array([1 + x, 2], np.float32)) for x in range(4)}
BOARD = BoardPose(np.diag([160.0, 160.0, 1.0]), QUADS, (1280, 720), 1.0)


def table(light: float = 1.0, thing: bool = False, seed: int = 0) -> Image:
    """A patterned table, with a thing in the middle of the board's second tile."""
    patches = np.random.default_rng(3).integers(60, 160, (18, 32, 3)).astype(np.uint8)
    image = cv2.resize(patches, (1280, 720), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    if thing:
        image[370:430, 370:430] = 235
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.asarray(np.clip(image * light + noise, 0, 255), np.uint8)


def changes(before: Image, now: Image) -> Changes:
    """What differs between two frames of one size."""
    found = Changes.between(SmallPicture.of(Sight(before)), SmallPicture.of(Sight(now)))
    assert found is not None
    return found


@pytest.mark.parametrize("light", [1.0, 0.6, 1.4])
def test_noise_and_light_are_no_change(light: float) -> None:
    seen = changes(table(), table(light, seed=1))
    assert seen.none
    assert seen.still
    assert seen.share(BOARD) == 0.0
    assert not seen.touched(np.stack(list(QUADS.values())).astype(np.float64)).any()


def test_a_thing_is_seen_on_its_tile_alone_under_another_light_too() -> None:
    seen = changes(table(), table(0.8, thing=True, seed=1))
    assert not seen.none
    assert not seen.still
    assert seen.touched(np.stack(list(QUADS.values())).astype(np.float64)).tolist() == [
        False,
        True,
        False,
        False,
    ]
    assert 0.5 * 60**2 < seen.share(None) * 1280 * 720 < 2 * 60**2
    assert seen.share(BOARD) > seen.share(None)


def test_pictures_of_other_shapes_are_not_compared() -> None:
    now = SmallPicture.of(Sight(table()))
    assert Changes.between(None, now) is None
    assert Changes.between(SmallPicture.of(Sight(table()[:600])), now) is None


def test_a_black_picture_tells_nothing_of_the_light() -> None:
    black = np.zeros((8, 8, 3), np.float32)
    grey = np.full((8, 8, 3), (50.0, 60.0, 70.0), np.float32)
    assert light_between(black, grey).tolist() == [1.0, 1.0, 1.0]
    assert light_between(grey, grey * 2).tolist() == [2.0, 2.0, 2.0]
    assert light_between(grey, black).tolist() == pytest.approx([1 / 3] * 3)


def test_a_difference_must_be_large_in_levels_and_as_a_share() -> None:
    before = np.array([[[10.0], [200.0]]], np.float32)
    now = before + np.float32(10.0)
    assert differs(before, now, 9.0).tolist() == [[True, True]]
    assert differs(before, now, 9.0, 0.07).tolist() == [[True, False]]
