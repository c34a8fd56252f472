"""Faces of one colour (fields, water, sand), which hardly show where one tile ends."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks.sprites import paste, random_sprite
from models.train.decks.textures import fractal_noise, jitter_colour, palette

Faces = NDArray[np.uint8]


def plain_faces(rng: np.random.Generator, n: int, size: int) -> tuple[list[Faces], list[int]]:
    """Faces of a few calm grounds without an edge print: two laid side by side hardly show their seam.

    Most are one ground alone, some have a drawn figure, some two grounds meeting along a border.
    """
    colours = palette(rng, int(rng.integers(2, 6)))
    grounds = [_calm(rng, colour, size * 2) for colour in colours]
    shares = rng.dirichlet(np.full(len(grounds), 1.2))
    sprites = [random_sprite(rng, str(rng.choice(["animal", "thing"]))) for _ in range(4)]
    figures, borders = float(rng.uniform(0.1, 0.6)), float(rng.uniform(0.0, 0.3))
    vignette = float(rng.choice([0.0, 0.0, rng.uniform(0.03, 0.2)]))
    rim = 1.0 - vignette * np.abs(np.linspace(-1, 1, size)) ** 6
    faces: list[Faces] = []
    family: list[int] = []
    for _ in range(n):
        number = int(rng.choice(len(grounds), p=shares))
        face = cut(rng, grounds[number], size).copy()
        if rng.random() < borders:
            across = np.linspace(-1, 1, size)[:, None] + rng.uniform(-0.7, 0.7)
            across = across + 0.25 * rng.random() * fractal_noise(rng, size, 3, 3)
            weight = np.clip(across * size / 4, 0, 1)[..., None]
            other = cut(rng, grounds[int(rng.integers(len(grounds)))], size)
            face = np.rot90(face * (1 - weight) + other * weight, int(rng.integers(4))).astype(np.uint8)
        if rng.random() < figures:
            for _ in range(int(rng.integers(1, 4))):
                x, y = rng.uniform(0.15, 0.85, 2)
                sprite = sprites[int(rng.integers(len(sprites)))]
                paste(face, sprite, (float(x), float(y)), size * rng.uniform(0.06, 0.4), 0.0)
        faces.append((face * rim[:, None, None] * rim[None, :, None]).astype(np.uint8))
        family.append(number)
    return faces, family


def _calm(rng: np.random.Generator, bgr: NDArray[np.float64], size: int) -> Faces:
    """A ground that is nearly one colour: a slow drift and a fine grain, now and then some flecks."""
    light = rng.uniform(0, 9) * fractal_noise(rng, size, int(rng.integers(2, 6)), 3)
    light = light + rng.uniform(0, 5) * fractal_noise(rng, size, size // 6, 2)
    image = np.clip(bgr + light[..., None] * rng.normal(1, 0.3, 3), 0, 255).astype(np.uint8)
    for _ in range(int(rng.choice([0, 0, 10, 60]))):
        x, y = rng.integers(0, size, 2)
        radius = max(1, int(size * rng.uniform(0.002, 0.01)))
        colour = tuple(map(float, jitter_colour(rng, bgr, 40)))
        cv2.circle(image, (int(x), int(y)), radius, colour, -1, cv2.LINE_AA)
    return image


def cut(rng: np.random.Generator, wide: Faces, size: int) -> Faces:
    """A square of ``size`` px from somewhere in a wider texture."""
    x, y = rng.integers(0, wide.shape[1] - size + 1), rng.integers(0, wide.shape[0] - size + 1)
    return wide[y : y + size, x : x + size]
