"""The time since which a place in the picture looks as it does."""

from __future__ import annotations

import cv2
import numpy as np

from vision.change.stillness import Stillness
from vision.observation import Sight

AT, REACH = (300.0, 200.0), 30.0


def table(light: float = 1.0, thing: bool = False, hand: bool = False, seed: int = 0) -> np.ndarray:
    patches = np.random.default_rng(3).integers(60, 200, (27, 48, 3)).astype(np.uint8)
    image = cv2.resize(patches, (960, 540), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    if thing:
        image[180:220, 280:320] = 235
    if hand:
        image[100:400, 200:420] = (120, 140, 180)
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.asarray(np.clip(image * light + noise, 0, 255), np.uint8)


def test_a_place_is_dated_to_the_first_picture_or_to_its_last_change() -> None:
    still = Stillness()
    assert still.since_s(AT, REACH) is None
    for t_s in (2.0, 3.0, 9.0):
        still.see(Sight(table(seed=int(t_s))), t_s)
        assert still.since_s(AT, REACH) == 2.0
    for t_s in (10.0, 10.4, 12.0, 50.0):
        still.see(Sight(table(thing=True, seed=int(t_s))), t_s)
        assert still.since_s(AT, REACH) == 10.0
    assert still.since_s((600.0, 400.0), REACH) == 2.0
    assert still.since_s((330.0, 230.0), REACH, 0.5) == 2.0, "it covers a quarter of this"


def test_a_hand_that_passes_and_lamps_that_dim_leave_no_trace() -> None:
    still = Stillness()
    still.see(Sight(table()), 0.0)
    still.see(Sight(table(hand=True)), 5.0)
    assert still.since_s(AT, REACH) == 5.0
    still.see(Sight(table(seed=1)), 5.6)
    assert still.since_s(AT, REACH) == 0.0
    still.see(Sight(table(light=0.7, seed=2)), 9.0)
    assert still.since_s(AT, REACH) == 0.0


def test_a_nudged_camera_makes_nothing_new() -> None:
    still = Stillness()
    still.see(Sight(table()), 0.0)
    still.see(Sight(np.roll(table(), 60, axis=1)), 5.0)
    assert still.since_s(AT, REACH) == 0.0
    still.see(Sight(np.roll(table(seed=1), 60, axis=1)), 8.0)
    assert still.since_s(AT, REACH) == 0.0
    still.see(Sight(np.roll(table(thing=True), 60, axis=1)), 9.0)
    assert still.since_s((360.0, 200.0), REACH) == 9.0


def cloth(light: float = 1.0, thing: bool = False, arm: bool = False, seed: int = 0) -> np.ndarray:
    """A table cloth of dark and bright squares, half of it each."""
    y, x = np.mgrid[:540, :960] // 45
    image = np.where(((x + y) % 2 > 0)[..., None], 200.0, 60.0) * np.ones(3)
    if thing:
        image[160:240, 260:340] = 130
    if arm:
        image[:, 600:760] = (200, 190, 180)
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.asarray(np.clip(image * light + noise, 0, 255), np.uint8)


def test_an_arm_over_a_cloth_of_two_colours_is_no_other_light() -> None:
    still = Stillness()
    for t_s in (0.0, 2.0):
        still.see(Sight(cloth(seed=int(t_s))), t_s)
    still.see(Sight(cloth(thing=True, arm=True, seed=4)), 4.0)
    assert still.since_s(AT, REACH) == 4.0
    assert still.since_s((100.0, 400.0), REACH) == 0.0


def test_an_object_that_comes_under_changing_light_is_dated() -> None:
    still = Stillness()
    still.see(Sight(cloth()), 0.0)
    for step in range(1, 21):
        still.see(Sight(cloth(light=1 - 0.02 * step, thing=5 <= step < 10, seed=step)), 2.0 * step)
    assert still.since_s(AT, REACH) == 20.0, "since it went"
    still.see(Sight(cloth(light=0.6, thing=True, seed=30)), 50.0)
    assert still.since_s(AT, REACH) == 50.0


def test_an_object_that_came_before_the_camera_was_nudged_keeps_its_date() -> None:
    still = Stillness()
    still.see(Sight(cloth()), 0.0)
    still.see(Sight(cloth(thing=True, seed=1)), 5.0)
    for t_s in (6.0, 8.0):
        still.see(Sight(np.roll(cloth(thing=True, seed=2), 45, axis=0)), t_s)
    assert still.since_s(AT, REACH) == 5.0
    assert still.since_s((700.0, 400.0), REACH) == 0.0


def test_a_black_picture_is_forgotten() -> None:
    still = Stillness()
    still.see(Sight(cloth()), 0.0)
    still.see(Sight(np.zeros_like(cloth())), 5.0)
    for t_s in (6.0, 9.0):
        still.see(Sight(cloth(thing=True, seed=int(t_s))), t_s)
        assert still.since_s(AT, REACH) == 6.0
    assert still.since_s((100.0, 400.0), REACH) == 0.0
    assert still.since_s((-300.0, 200.0), REACH) is None


def test_a_changed_place_is_unsettled_until_the_object_stays_or_has_gone() -> None:
    still = Stillness()
    still.see(Sight(table()), 0.0)
    still.see(Sight(table(hand=True)), 5.0)
    assert still.unsettled_px() > 0.8 * 300 * 220
    still.see(Sight(table()), 5.4)
    assert still.unsettled_px() < 0.01 * 300 * 220
    for t_s, unsettled in ((9.0, True), (9.4, True), (11.0, False)):
        still.see(Sight(table(thing=True)), t_s)
        assert (still.unsettled_px() > 1000) == unsettled
