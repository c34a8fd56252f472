"""What each animal tile of a pack looks like, whichever way round it lies, to the network that knows faces.

The descriptor was trained on many decks under many lights, half hidden and a little askew, and compares patch
by patch: a token is a very small tile of which only what lies within its outline counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Point
from engine.pack import Pack
from models import OnnxModel
from vision.matching import Floats, ScoreValues, fit_parts, padded, similarity
from vision.observation import Image
from vision.rectify import SQUARE, rectify

ARTWORK = 2
"""The pictures are turned at so many times their size."""
GROUND_BGR = (110.0, 170.0, 200.0)
"""What is laid under the picture where it is transparent; patches there do not count."""
TURNS_TRIED = 2
"""Of many turns so many of each animal are looked at closely, those that come nearest without any shift."""
INSIDE = 0.8
"""A patch counts of which at least this share is token."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFit:
    """How a token's picture fits each animal.

    ``nats`` float32 [animals] are log-likelihoods up to a constant, each at the place and turn that fit it
    best; ``mean`` is how well the patches in sight fit the best of them, ``uv`` where the middle of that one
    is, in sides of its tile."""

    nats: Floats
    mean: float
    uv: Point


@dataclass(frozen=True, slots=True, eq=False)
class _References:
    """One turn of all animals: descriptors with a rim [animals, (g+2)², d], and which patches count
    [animals, g²]."""

    descriptors: Floats
    inside: NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class TokenFaces:
    """A pack's animal tiles. ``side`` is the side of one in tile sides.

    How they look at a turn is worked out when that turn is first asked for: most lie flush with a corner, in
    one of four.
    """

    animals: tuple[str, ...]
    side: float
    model: OnnxModel
    _artwork: list[Image]
    _turned: dict[int, _References] = field(default_factory=dict)

    @classmethod
    def of(cls, pack: Pack, model: OnnxModel) -> TokenFaces | None:
        """Those of a pack, None where it has none or ships no pictures; ``model`` is the descriptor."""
        if not pack.tokens or pack.token_mm is None:
            return None
        artwork = []
        for animal in pack.tokens:
            path = pack.token_art_path(animal)
            picture = None if path is None else cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if picture is None:
                return None
            artwork.append(np.asarray(picture, np.uint8))
        return cls(tuple(pack.tokens), pack.token_mm / pack.tile_mm, model, artwork)

    def fit(
        self, image: Image, quad: Floats, uv: Point, turns_deg: Collection[int], offsets: Collection[Point]
    ) -> TokenFit:
        """What the picture of a token shows whose middle is near ``uv`` of the tile at ``quad`` [4, 2] px.

        It is looked for at each of ``offsets`` from there, in its own sides, and in each of the clockwise
        ``turns_deg``.
        """
        turns = sorted(turns_deg)
        self._prepare(turns)
        middles = np.array(uv) + self.side * np.array(list(offsets))
        crops = rectify(image, self._squares(quad, middles), int(self.model.meta["crop_px"]))
        descriptors, visible = self.model(crops)
        values = ScoreValues.of(self.model.meta)
        references = np.stack([self._turned[turn].descriptors for turn in turns])
        inside = np.stack([self._turned[turn].inside for turn in turns])
        if len(turns) > TURNS_TRIED:
            alike = similarity(descriptors, visible, references.reshape(-1, *references.shape[2:]))
            by_turn = alike.max(axis=0).reshape(len(turns), -1)
            promising = np.argsort(-by_turn, axis=0)[:TURNS_TRIED]
            references = np.take_along_axis(references, promising[..., None, None], axis=0)
            inside = np.take_along_axis(inside, promising[..., None], axis=0)
        references = references.reshape(-1, *references.shape[2:])
        inside = inside.reshape(len(references), -1)
        total, mean = fit_parts(descriptors, visible, references, inside, values)
        by_animal = total.reshape(-1, len(self.animals)).max(axis=0) / values.temperature
        u, v = middles[int(total.argmax()) // len(references)]
        return TokenFit(by_animal, float(mean.max()), (float(u), float(v)))

    def _squares(self, quad: Floats, middles: NDArray[np.float64]) -> NDArray[np.float32]:
        """The outlines [n, 4, 2] px of tokens around places [n, 2] of a tile."""
        to_px = cv2.getPerspectiveTransform(SQUARE.astype(np.float32), np.asarray(quad, np.float32))
        corners = (SQUARE - 0.5) * self.side + middles[:, None]
        px = cv2.perspectiveTransform(corners.reshape(1, -1, 2).astype(np.float64), to_px)
        return np.asarray(px.reshape(-1, 4, 2), np.float32)

    def _prepare(self, turns_deg: Collection[int]) -> None:
        """Describe the animals in those turns that nobody asked for yet."""
        missing = [turn for turn in turns_deg if turn not in self._turned]
        if not missing:
            return
        size = int(self.model.meta["crop_px"])
        laid = [_laid(picture, turn, size) for turn in missing for picture in self._artwork]
        descriptors, _ = self.model(np.stack([picture for picture, _ in laid]))
        grid = math.isqrt(descriptors.shape[1])
        covers = [cv2.resize(cover, (grid, grid), interpolation=cv2.INTER_AREA) for _, cover in laid]
        inside = np.stack(covers).reshape(len(laid), -1) > INSIDE
        references = padded(descriptors * inside[..., None])
        for row, turn in enumerate(missing):
            mine = slice(row * len(self.animals), (row + 1) * len(self.animals))
            self._turned[turn] = _References(references[mine], inside[mine])


def _laid(picture: Image, turn_deg: int, size_px: int) -> tuple[Image, Floats]:
    """The picture turned clockwise on plain ground, uint8 [s, s, 3], and how much of each pixel it covers."""
    large = ARTWORK * size_px
    art = np.asarray(cv2.resize(picture, (large, large), interpolation=cv2.INTER_AREA), np.float32)
    cover = art[..., 3:] / 255 if art.shape[2] == 4 else np.ones_like(art[..., :1])
    middle = (large - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -turn_deg, 1.0)
    turned = cv2.warpAffine(np.dstack([art[..., :3] * cover, cover]), turn, (large, large))
    small = np.asarray(cv2.resize(turned, (size_px, size_px), interpolation=cv2.INTER_AREA), np.float32)
    on_ground = small[..., :3] + np.array(GROUND_BGR, np.float32) * (1 - small[..., 3:])
    return np.asarray(np.clip(on_ground, 0, 255), np.uint8), np.ascontiguousarray(small[..., 3])
