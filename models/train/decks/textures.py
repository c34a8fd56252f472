"""Textures of the random decks: colours, noise fields and flat patterns."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]
Image = NDArray[np.uint8]


def fractal_noise(
    rng: np.random.Generator, size_px: int, coarse: int, octaves: int, roughness: float = 0.55
) -> Field:
    """Smooth noise float32 [size_px, size_px], mean 0, deviation about 1; `coarse` cells a side first."""
    field = np.zeros((size_px, size_px), np.float32)
    weight, total, cells = 1.0, 0.0, max(1, coarse)
    for _ in range(octaves):
        if cells > size_px:
            break
        small = rng.standard_normal((cells + 2, cells + 2), dtype=np.float32)
        field += weight * cv2.resize(small, (size_px, size_px), interpolation=cv2.INTER_CUBIC)
        total += weight**2
        weight *= roughness
        cells *= 2
    return field / np.float32(np.sqrt(max(total, 1e-6)))


def palette(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """`n` colours that go together, float64 [n, 3] BGR: natural, gaudy, pale or dark sets."""
    mood = rng.integers(4)
    hue = (
        rng.uniform(0, 180, n) if mood != 0 else np.array([40, 50, 15, 25, 20, 10, 100, 70])[np.arange(n) % 8]
    )
    if mood == 0:
        hue = hue + rng.normal(0, 10, n)
    elif rng.random() < 0.4:  # one family of hues only
        hue = rng.uniform(0, 180) + rng.normal(0, 18, n)
    low, high = [(60, 190), (100, 255), (10, 110), (20, 160)][int(mood)]
    saturation = rng.uniform(low, high, n)
    value = rng.uniform(*[(90, 220), (90, 255), (170, 255), (40, 140)][int(mood)], n)
    hsv = np.stack([hue % 180, saturation, value], 1).astype(np.uint8)[None]
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0], np.float64)


def jitter_colour(rng: np.random.Generator, bgr: NDArray[np.float64], amount: float) -> NDArray[np.float64]:
    """A colour near `bgr`: lighter or darker by up to `amount`, its channels apart by a third of that."""
    return np.asarray(np.clip(bgr + rng.uniform(-amount, amount) + rng.normal(0, amount / 3, 3), 0, 255))


def texture(rng: np.random.Generator, bgr: NDArray[np.float64], size_px: int) -> Image:
    """One material uint8 [size_px, size_px, 3]: a colour under noise, strokes, dots or hatching."""
    amount = rng.uniform(3, 38)
    light = fractal_noise(rng, size_px, int(rng.integers(2, 12)), 5, rng.uniform(0.4, 0.8))[..., None]
    tint = rng.normal(0, 0.35, 3).astype(np.float32) + 1
    image = np.asarray(bgr, np.float32) + amount * light * tint
    if rng.random() < 0.4:  # a second colour in patches
        other = jitter_colour(rng, bgr, 60).astype(np.float32)
        patch = np.clip(fractal_noise(rng, size_px, int(rng.integers(3, 10)), 2) * rng.uniform(0.5, 3), 0, 1)[
            ..., None
        ]
        image = image * (1 - patch) + other * patch
    out = np.clip(image, 0, 255).astype(np.uint8)
    kind = rng.integers(5)
    if kind == 1:
        _strokes(rng, out, bgr)
    elif kind == 2:
        _dots(rng, out, bgr)
    elif kind == 3:
        _hatching(rng, out, bgr)
    return out


def _strokes(rng: np.random.Generator, image: Image, bgr: NDArray[np.float64]) -> None:
    size = image.shape[0]
    length, angle, spread = size * rng.uniform(0.01, 0.06), rng.uniform(0, np.pi), rng.uniform(0.05, 1.0)
    count = int(rng.integers(40, 220))
    start = rng.uniform(0, size, (count, 2))
    way = angle + rng.normal(0, spread, count)
    end = start + length * np.stack([np.cos(way), np.sin(way)], 1)
    lines = np.round(np.stack([start, end], 1)).astype(np.int32)
    for part in np.array_split(lines, 3):
        colour = tuple(map(float, jitter_colour(rng, bgr, 50)))
        cv2.polylines(image, list(part), False, colour, 1, cv2.LINE_AA)


def _dots(rng: np.random.Generator, image: Image, bgr: NDArray[np.float64]) -> None:
    size = image.shape[0]
    for _ in range(int(rng.integers(20, 90))):
        colour = tuple(map(float, jitter_colour(rng, bgr, 45)))
        radius = max(1, int(size * rng.uniform(0.003, 0.02)))
        x, y = rng.integers(0, size, 2)
        cv2.circle(image, (int(x), int(y)), radius, colour, -1, cv2.LINE_AA)


def _hatching(rng: np.random.Generator, image: Image, bgr: NDArray[np.float64]) -> None:
    size = image.shape[0]
    step, angle = size * rng.uniform(0.015, 0.08), rng.uniform(0, np.pi)
    across = np.array([-np.sin(angle), np.cos(angle)])
    along = np.array([np.cos(angle), np.sin(angle)]) * 2 * size
    colour = tuple(map(float, jitter_colour(rng, bgr, 30)))
    lines = []
    for offset in np.arange(-1.5 * size, 1.5 * size, step):
        middle = np.array([size / 2, size / 2]) + across * offset
        lines.append(np.round(np.stack([middle - along, middle + along])).astype(np.int32))
    cv2.polylines(image, lines, False, colour, max(1, int(step * rng.uniform(0.1, 0.4))), cv2.LINE_AA)
