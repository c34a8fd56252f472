"""The check of a picture on rendered tables: each problem is reported, and no other."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.framing.params import PARAMS
from vision.framing.picture_check import PictureFault, check_picture
from vision.observation import Image, Sight

WIDTH, HEIGHT = 640, 360
AT = ((260, 120), (340, 120), (260, 200))
"""Upper left corners of the tiles, pixels."""


def table(side: int = 80, at: tuple[tuple[int, int], ...] = AT) -> tuple[Image, NDArray[np.float64]]:
    """A wooden table with printed tiles on it, and the tiles' corners."""
    rng = np.random.default_rng(22)
    image = np.full((HEIGHT, WIDTH, 3), (90, 120, 150), np.uint8)
    quads = []
    for x, y in at:
        coarse = rng.integers(40, 230, (max(side // 5, 2), max(side // 5, 2), 3)).astype(np.uint8)
        image[y : y + side, x : x + side] = cv2.resize(coarse, (side, side), interpolation=cv2.INTER_NEAREST)
        quads.append(((x, y), (x + side, y), (x + side, y + side), (x, y + side)))
    return image, np.array(quads, np.float64)


def darkened(image: Image) -> Image:
    """A room with very little light."""
    return np.asarray(image * 0.05, np.uint8)


def blurred(image: Image) -> Image:
    """A camera out of focus."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 9.0), np.uint8)


def with_lamp(image: Image) -> Image:
    """A lamp that shines on the tile to the lower left."""
    shone = image.copy()
    cv2.circle(shone, (280, 230), 26, (255, 255, 255), -1)
    return shone


@pytest.mark.parametrize(
    ("make", "faults"),
    [
        (lambda image: image, ()),
        (darkened, ("dark",)),
        (blurred, ("blurred",)),
        (with_lamp, ("glare",)),
    ],
)
def test_a_dark_blurred_or_glaring_picture_has_that_fault_alone(
    make: object, faults: tuple[PictureFault, ...]
) -> None:
    assert callable(make)
    image, quads = table()
    check = check_picture(Sight(make(image)), quads)
    assert (check.tiles, check.side_px) == (3, 80.0)
    assert check.faults == faults


def test_without_tiles_it_is_said_together_with_what_may_be_the_reason() -> None:
    image, _ = table()
    nothing = np.zeros((0, 4, 2))
    assert check_picture(Sight(image), nothing).faults == ("no_tiles",)
    assert check_picture(Sight(darkened(image)), nothing).faults[:1] == ("dark",)


def test_small_tiles_are_too_far_away() -> None:
    side = int(PARAMS.side_px) - 4
    image, quads = table(side, ((260, 160), (260 + side, 160)))
    check = check_picture(Sight(image), quads)
    assert check.faults == ("far",) and check.side_px == side


@pytest.mark.parametrize(("x", "y", "edges"), [(10, 140, ("left",)), (550, 270, ("right", "bottom"))])
def test_a_board_at_the_rim_has_no_room_to_grow(x: int, y: int, edges: tuple[str, ...]) -> None:
    image, quads = table(80, ((x, y),))
    check = check_picture(Sight(image), quads)
    assert check.cut_off == edges and check.faults == ("cut_off",)


@pytest.mark.parametrize(
    ("x", "y", "part"), [(60, 140, "left"), (500, 140, "right"), (280, 60, "top"), (280, 140, "middle")]
)
def test_a_reflection_is_told_with_its_place(x: int, y: int, part: str) -> None:
    image, quads = table(80, ((x, y),))
    cv2.circle(image, (x + 40, y + 40), 30, (255, 255, 255), -1)
    check = check_picture(Sight(image), quads)
    assert "glare" in check.faults and check.glare_at == part


def test_a_camera_that_moves_is_told_from_a_hand_that_does() -> None:
    image, quads = table()
    grain = np.random.default_rng(1).integers(0, 60, image.shape).astype(np.uint8)
    noise = cv2.GaussianBlur(grain, (0, 0), 3.0)
    image = np.asarray(cv2.add(image, noise), np.uint8)
    before = Sight(image)
    moved = np.roll(image, 8, axis=1)
    assert check_picture(Sight(moved), quads + np.array([8.0, 0.0]), before).faults == ("moves",)
    hand = image.copy()
    cv2.ellipse(hand, (120, 250), (90, 40), 30, 0, 360, (140, 170, 220), -1)
    assert check_picture(Sight(hand), quads, before).faults == ()
    other = Sight(image[:-4])
    assert check_picture(Sight(moved), quads, other).shift == 0.0
