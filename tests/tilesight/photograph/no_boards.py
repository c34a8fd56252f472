"""Pictures of no board: twelve drawn scenes, seen at an angle, a little blurred and noisy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.random import Generator

from vision.observation import Image

WIDE, HIGH = 1280, 960


def _plain(level: tuple[int, int, int]) -> Image:
    return np.full((HIGH, WIDE, 3), level, np.uint8)


def _color(rng: Generator) -> tuple[int, int, int]:
    b, g, r = (int(level) for level in rng.integers(20, 236, 3))
    return b, g, r


def _text(picture: Image, said: str, at: tuple[int, int], size: float) -> None:
    cv2.putText(picture, said, at, cv2.FONT_HERSHEY_SIMPLEX, size, (30, 30, 30), max(1, round(2 * size)))


def striped_cloth(rng: Generator) -> Image:
    picture, x = _plain((225, 225, 230)), 0
    inks = [_color(rng) for _ in range(3)]
    while x < WIDE:
        width = int(rng.choice([12, 24, 40]))
        cv2.rectangle(picture, (x, 0), (x + width, HIGH), inks[int(rng.integers(3))], -1)
        x += 2 * width
    return picture


def patterned_cloth(rng: Generator) -> Image:
    picture, inks = _plain((225, 228, 230)), [_color(rng) for _ in range(3)]
    for row in range(0, HIGH, 110):
        for column in range(0, WIDE, 110):
            first, second = inks[row // 110 % 3], inks[column // 110 % 3]
            middle = np.array([column + 55, row + 55])
            for reach, ink, thick in ((46, first, 9), (20, second, -1)):
                diamond = middle + reach * np.array([[0, -1], [1, 0], [0, 1], [-1, 0]])
                if thick > 0:
                    cv2.polylines(picture, [diamond.astype(np.int32)], True, ink, thick)
                else:
                    cv2.fillPoly(picture, [diamond.astype(np.int32)], ink)
    return picture


def tiled_floor(rng: Generator) -> Image:
    picture = _plain((120, 130, 135))
    for row in range(0, HIGH, 120):
        for column in range(0, WIDE, 120):
            shade = 185 + int(rng.integers(-12, 13))
            ink = (shade - 20, shade - 8, shade)
            cv2.rectangle(picture, (column + 3, row + 3), (column + 117, row + 117), ink, -1)
            for _ in range(12):
                at = (column + int(rng.integers(8, 112)), row + int(rng.integers(8, 112)))
                cv2.circle(picture, at, int(rng.integers(1, 4)), (shade - 50,) * 3, -1)
    return picture


def chess_board(_: Generator) -> Image:
    picture = _plain((70, 90, 110))
    cv2.rectangle(picture, (230, 70), (1050, 890), (30, 50, 80), -1)
    for row in range(8):
        for column in range(8):
            ink = (60, 90, 140) if (row + column) % 2 else (190, 220, 235)
            cv2.rectangle(
                picture, (240 + 100 * column, 80 + 100 * row), (339 + 100 * column, 179 + 100 * row), ink, -1
            )
    return picture


def keyboard(_: Generator) -> Image:
    picture = _plain((150, 160, 165))
    cv2.rectangle(picture, (90, 250), (1190, 730), (40, 40, 44), -1)
    for row, keys in enumerate(("1234567890-=", "QWERTYUIOP[]", "ASDFGHJKL;'#", "ZXCVBNM,./<>")):
        for column, key in enumerate(keys):
            x, y = 110 + 88 * column + 12 * row, 280 + 105 * row
            cv2.rectangle(picture, (x, y), (x + 78, y + 90), (200, 200, 205), -1)
            _text(picture, key, (x + 12, y + 36), 0.9)
    return picture


def crossword(rng: Generator) -> Image:
    picture = _plain((235, 240, 242))
    for row in range(13):
        for column in range(13):
            x, y = 250 + 60 * column, 90 + 60 * row
            black = rng.random() < 0.2
            cv2.rectangle(picture, (x, y), (x + 60, y + 60), (20, 20, 20), -1 if black else 2)
            if not black:
                _text(picture, str(13 * row + column), (x + 4, y + 16), 0.4)
                _text(picture, chr(65 + int(rng.integers(26))), (x + 18, y + 48), 1.0)
    return picture


def calendar(rng: Generator) -> Image:
    picture = _plain((245, 245, 245))
    _text(picture, "NOVEMBER", (420, 110), 2.2)
    for day in range(1, 31):
        x, y = 120 + 150 * ((day + 3) % 7), 170 + 150 * ((day + 3) // 7)
        cv2.rectangle(picture, (x, y), (x + 150, y + 150), (90, 90, 90), 2)
        _text(picture, str(day), (x + 10, y + 40), 1.1)
        if rng.random() < 0.4:
            _text(picture, "dentist", (x + 14, y + 100), 0.7)
    return picture


def shelf_of_boxes(rng: Generator) -> Image:
    picture = _plain((60, 80, 100))
    for shelf in range(40, HIGH, 230):
        x = 10
        while x < WIDE:
            width, height = int(rng.integers(50, 190)), int(rng.integers(120, 205))
            cv2.rectangle(picture, (x, shelf + 210 - height), (x + width, shelf + 210), _color(rng), -1)
            cv2.rectangle(picture, (x, shelf + 210 - height), (x + width, shelf + 210), (30, 30, 30), 2)
            _text(picture, "".join(map(chr, rng.integers(65, 91, 4))), (x + 6, shelf + 260 - height), 0.8)
            x += width + 4
        cv2.rectangle(picture, (0, shelf + 211), (WIDE, shelf + 224), (30, 50, 70), -1)
    return picture


def brick_wall(rng: Generator) -> Image:
    picture = _plain((190, 195, 195))
    for row in range(0, HIGH, 64):
        for column in range(-70 if row // 64 % 2 else 0, WIDE, 140):
            shade = int(rng.integers(-25, 26))
            ink = (60 + shade, 75 + shade, 150 + shade)
            cv2.rectangle(picture, (column + 4, row + 4), (column + 136, row + 60), ink, -1)
    return picture


def blank(_: Generator) -> Image:
    return _plain((150, 170, 190))


def noise(rng: Generator) -> Image:
    return np.asarray(rng.integers(0, 256, (HIGH, WIDE, 3)), np.uint8)


def gradient(_: Generator) -> Image:
    ramp = np.linspace(30, 220, WIDE)[None, :] + np.linspace(-20, 20, HIGH)[:, None]
    return np.repeat(ramp[..., None], 3, axis=2).clip(0, 255).astype(np.uint8)


SCENES: Mapping[str, Callable[[Generator], Image]] = {
    one.__name__: one
    for one in (
        striped_cloth,
        patterned_cloth,
        tiled_floor,
        chess_board,
        keyboard,
        crossword,
        calendar,
        shelf_of_boxes,
        brick_wall,
        blank,
        noise,
        gradient,
    )
}


def photographed(name: str, seed: int) -> Image:
    """Return the scene ``name`` (960, 1280, 3) as a camera sees it from above at an angle."""
    rng = np.random.default_rng([seed, *name.encode()])
    flat = cv2.copyMakeBorder(SCENES[name](rng), 200, 200, 260, 260, cv2.BORDER_REFLECT_101)
    high, wide = flat.shape[:2]
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    outwards = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    pulled = rng.uniform(0.0, 0.1, (4, 2)) * np.array([wide, high]) * outwards
    seen = corners * np.array([WIDE / wide, HIGH / high]) + pulled
    to_camera = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
    picture = cv2.warpPerspective(flat, to_camera, (WIDE, HIGH), flags=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float64)
    return (soft + rng.normal(0.0, 3.0, soft.shape)).clip(0, 255).astype(np.uint8)
