"""Random sprites with transparent ground: animals of no species, trees, houses, shields, letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks.textures import palette

CANVAS_PX = 96


@dataclass(frozen=True)
class Sprite:
    """A picture float32 [96, 96, 3] BGR with its coverage float32 [96, 96, 1] in 0..1."""

    bgr: NDArray[np.float32]
    alpha: NDArray[np.float32]


def random_sprite(rng: np.random.Generator, kind: str) -> Sprite:
    """Draw an "animal" (body, head, legs, markings) or a "thing" (tree, house, shield, star, letter)."""
    canvas = np.zeros((CANVAS_PX, CANVAS_PX, 3), np.uint8)
    mask = np.zeros((CANVAS_PX, CANVAS_PX), np.uint8)
    colours = [tuple(map(float, c)) for c in palette(rng, 4)]
    if kind == "animal":
        _animal(rng, canvas, mask, colours)
    else:
        _thing(rng, canvas, mask, colours)
    if rng.random() < 0.35:  # a sticker's rim
        width = int(rng.integers(3, 9))
        grown = np.asarray(cv2.dilate(mask, np.ones((width, width), np.uint8)))
        canvas[mask == 0] = 255 if rng.random() < 0.6 else 20
        mask = grown.astype(np.uint8)
    if rng.random() < 0.2:  # on a round token
        back = np.zeros_like(mask)
        cv2.circle(back, (48, 48), 46, 255, -1, cv2.LINE_AA)
        canvas[mask < 128] = colours[3]
        mask = np.maximum(mask, back)
    soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), 0.8), np.float32)[..., None] / np.float32(255)
    return Sprite(canvas.astype(np.float32), np.asarray(soft, np.float32))


def _both(
    canvas: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    polygon: NDArray[np.float64],
    colour: tuple[float, ...],
) -> None:
    points = [np.round(polygon).astype(np.int32)]
    cv2.fillPoly(canvas, points, colour, cv2.LINE_AA)
    cv2.fillPoly(mask, points, 255)


def _oval(cx: float, cy: float, rx: float, ry: float, turn_deg: float = 0.0) -> NDArray[np.float64]:
    points = cv2.ellipse2Poly(
        (int(cx), int(cy)), (max(1, int(rx)), max(1, int(ry))), int(turn_deg), 0, 360, 12
    )
    return np.asarray(points, np.float64).reshape(-1, 2)


def _animal(
    rng: np.random.Generator,
    canvas: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    colours: list[tuple[float, ...]],
) -> None:
    side = rng.choice([-1, 1])
    long, high = rng.uniform(18, 30), rng.uniform(9, 20)
    neck, legs = rng.uniform(2, 34), rng.uniform(6, 24)
    body_y = 50.0 + rng.uniform(-4, 8)
    head_x, head_y = 48 + side * (long * 0.9), body_y - high * 0.5 - neck
    for leg in np.linspace(-0.75, 0.75, int(rng.choice([2, 4]))):
        x = 48 + leg * long
        w = rng.uniform(1.5, 4.5)
        _both(
            canvas,
            mask,
            np.array(
                [
                    [x - w, body_y],
                    [x + w, body_y],
                    [x + w, body_y + high + legs],
                    [x - w, body_y + high + legs],
                ]
            ),
            colours[1],
        )
    w = rng.uniform(3, 8)
    shoulder = 48 + side * long * 0.6
    _both(
        canvas,
        mask,
        np.array(
            [
                [shoulder - w, body_y],
                [shoulder + w, body_y],
                [head_x + w * 0.7, head_y],
                [head_x - w * 0.7, head_y],
            ]
        ),
        colours[0],
    )
    if rng.random() < 0.4:  # mane or big ears
        _both(canvas, mask, _oval(head_x, head_y, rng.uniform(9, 18), rng.uniform(9, 18)), colours[2])
    _both(canvas, mask, _oval(48, body_y, long, high, rng.uniform(-12, 12)), colours[0])
    _both(
        canvas,
        mask,
        _oval(head_x, head_y, rng.uniform(6, 13), rng.uniform(5, 10), rng.uniform(-30, 30)),
        colours[0],
    )
    if rng.random() < 0.6:  # tail or trunk
        x = 48 - side * long if rng.random() < 0.6 else head_x + side * 8
        end = np.array([x - side * rng.uniform(4, 16), body_y + rng.uniform(-20, 22)])
        _both(
            canvas, mask, np.array([[x - 2, body_y - 3], [x + 2, body_y + 3], end + 2, end - 2]), colours[1]
        )
    marking = rng.integers(3)
    if marking == 1:
        for x in np.arange(48 - long * 0.8, 48 + long * 0.8, rng.uniform(5, 9)):
            cv2.line(
                canvas,
                (int(x), int(body_y - high * 0.7)),
                (int(x + 2), int(body_y + high * 0.7)),
                colours[2],
                2,
                cv2.LINE_AA,
            )
    elif marking == 2:
        for _ in range(14):
            x, y = 48 + rng.uniform(-0.8, 0.8) * long, body_y + rng.uniform(-0.7, 0.7) * high
            cv2.circle(canvas, (int(x), int(y)), int(rng.integers(1, 4)), colours[2], -1, cv2.LINE_AA)
    cv2.circle(canvas, (int(head_x + side * 3), int(head_y - 2)), 2, (10, 10, 10), -1, cv2.LINE_AA)


def _thing(
    rng: np.random.Generator,
    canvas: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    colours: list[tuple[float, ...]],
) -> None:
    kind = rng.integers(6)
    if kind == 0:  # tree
        w = rng.uniform(3, 7)
        _both(canvas, mask, np.array([[48 - w, 50], [48 + w, 50], [48 + w, 90], [48 - w, 90]]), colours[1])
        for _ in range(int(rng.integers(1, 6))):
            radius = rng.uniform(14, 28)
            _both(
                canvas,
                mask,
                _oval(
                    48 + rng.uniform(-18, 18), 36 + rng.uniform(-14, 14), radius, radius * rng.uniform(0.5, 1)
                ),
                colours[int(rng.choice([0, 2]))],
            )
    elif kind == 1:  # house
        w, h = rng.uniform(18, 34), rng.uniform(14, 26)
        _both(
            canvas,
            mask,
            np.array([[48 - w, 55], [48 + w, 55], [48 + w, 55 + h], [48 - w, 55 + h]]),
            colours[0],
        )
        _both(
            canvas,
            mask,
            np.array([[48 - w - 5, 56], [48, 56 - rng.uniform(15, 40)], [48 + w + 5, 56]]),
            colours[1],
        )
    elif kind == 2:  # shield
        w = rng.uniform(22, 36)
        shape = np.array([[48 - w, 14], [48 + w, 14], [48 + w, 50], [48, 88], [48 - w, 50]])
        _both(canvas, mask, shape, colours[0])
        _both(canvas, mask, (shape - 48) * 0.6 + 48, colours[1])
    elif kind == 3:  # star or blob
        n = int(rng.integers(4, 10)) * 2
        angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
        reach = np.where(np.arange(n) % 2 == 0, 42.0, rng.uniform(15, 40))
        _both(canvas, mask, 48 + np.stack([np.cos(angle) * reach, np.sin(angle) * reach], 1), colours[0])
    elif kind == 4:  # letter
        letter = str(rng.choice(list("ABCDEFGHKMNPRSTWXZ123456789")))
        for image, colour in ((canvas, colours[0]), (mask, (255.0,))):
            cv2.putText(image, letter, (16, 80), cv2.FONT_HERSHEY_SIMPLEX, 2.9, colour, 9, cv2.LINE_AA)
    else:  # stones or berries
        for _ in range(int(rng.integers(2, 7))):
            radius = rng.uniform(7, 18)
            x, y = rng.uniform(24, 72, 2)
            _both(
                canvas, mask, _oval(x, y, radius, radius * rng.uniform(0.6, 1)), colours[int(rng.integers(3))]
            )


def paste(
    image: NDArray[np.uint8], sprite: Sprite, at_uv: tuple[float, float], extent_px: float, turn_deg: float
) -> None:
    """Lay a sprite on `image` [s, s, 3] in place: centre `at_uv` in 0..1, `extent_px` its side."""
    size = image.shape[0]
    scale = extent_px / CANVAS_PX
    matrix = np.asarray(cv2.getRotationMatrix2D((CANVAS_PX / 2, CANVAS_PX / 2), turn_deg, scale), np.float64)
    half = int(np.ceil(extent_px * 0.75)) + 1
    x0, y0 = round(at_uv[0] * size) - half, round(at_uv[1] * size) - half
    matrix = matrix + np.array([[0.0, 0.0, half - CANVAS_PX / 2]])
    left, top, right, bottom = max(0, x0), max(0, y0), min(size, x0 + 2 * half), min(size, y0 + 2 * half)
    if right <= left or bottom <= top:
        return
    source: NDArray[Any] = sprite.bgr
    cover: NDArray[Any] = sprite.alpha
    if scale < 0.6:  # shrink first: the warp alone would alias
        blur = 0.35 / scale
        source, cover = cv2.GaussianBlur(source, (0, 0), blur), cv2.GaussianBlur(cover, (0, 0), blur)
    box = (2 * half, 2 * half)
    colour = np.asarray(cv2.warpAffine(source, matrix, box, borderMode=cv2.BORDER_REPLICATE)).reshape(
        2 * half, 2 * half, 3
    )
    alpha = np.asarray(cv2.warpAffine(cover, matrix, box)).reshape(2 * half, 2 * half, 1)
    window = (slice(top - y0, bottom - y0), slice(left - x0, right - x0))
    part = image[top:bottom, left:right]
    part[:] = (part * (1 - alpha[window]) + colour[window] * alpha[window]).astype(np.uint8)
