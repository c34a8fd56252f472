"""Crops: input of the token classifier.

The network gets a crop of the photograph and one expected picture at a time: the tile's print alone, or with
one of the animal tiles on it, relit to the light of the tile.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from vision.geometry.homography import SQUARE
from vision.observation import Sight
from vision.tiles.reprojection import DARKEST, LEVELS, line_of_light

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

SIDE_PX, TOKEN_PX = 48, 36
"""Sides of a crop, and of the animal tile in its middle, in pixels."""
CHANNELS = 8
"""Channels of the network's input (`expectations`)."""
LIGHT_PX = 16
"""Side of a tile's crop when its light is measured, in pixels."""
TILES_LIGHT = (0.7, 1.4)
"""Range of a tile's brightness relative to the board; beyond it the tile is occluded."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardLight:
    """Light of a photograph: ``gain`` and ``base`` float32 (3,), BGR, of the whole board.
    ``by_cell`` is the relative brightness of each tile."""

    gain: F32
    base: F32
    by_cell: Mapping[Cell, float]

    @classmethod
    def of(cls, crops: U8, faces: Mapping[Cell, U8]) -> BoardLight:
        """Measure the light on tiles with known print; gain 1 and base 0 if there are none.
        ``crops`` uint8 (n, LIGHT_PX, LIGHT_PX, 3) show the tiles of ``faces``, each uint8 (s, s, 3), in that
        order."""
        if not faces:
            return cls(np.ones(3, np.float32), np.zeros(3, np.float32), {})
        seen, size = crops.astype(np.float32), (LIGHT_PX, LIGHT_PX)
        prints = [cv2.resize(face, size, interpolation=cv2.INTER_AREA) for face in faces.values()]
        print_ = np.stack(prints).astype(np.float32)
        x, y = print_.reshape(-1, 3), seen.reshape(-1, 3)
        gain, base = line_of_light(x, y, np.ones(len(x), np.float32))
        relit = np.maximum(print_ * gain + base, 2.0).sum(axis=3)
        brighter = np.median((seen.sum(axis=3) / relit).reshape(len(faces), -1), axis=1)
        own = np.clip(brighter, *TILES_LIGHT)
        return cls(gain, base, {cell: float(one) for cell, one in zip(faces, own, strict=True)})

    def whitened(self, seen: U8, cell: Cell) -> F32:
        """Return the crop ``seen`` (h, w, 3) relit to the light of the gallery's pictures, in grey levels.
        ``cell`` is the tile whose brightness counts."""
        own = np.float32(self.by_cell.get(cell, 1.0))
        return np.asarray((seen / own - self.base) / np.maximum(self.gain, DARKEST), np.float32)


def on_tile(quad: NDArray[np.floating], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map ``corners`` (4, 2) in coordinates of a tile to the photograph: (1, 4, 2) px.
    ``quad`` (4, 2) px are the tile's corners."""
    to_px = cv2.getPerspectiveTransform(SQUARE.astype(np.float32), np.asarray(quad, np.float32))
    return np.asarray(cv2.perspectiveTransform(corners.reshape(1, -1, 2), to_px), np.float64)


def print_square(face: U8 | None, corners: NDArray[np.float64], size_px: int) -> tuple[U8, NDArray[np.bool_]]:
    """Return the crop of a tile's print in the square with ``corners`` (4, 2), in the tile's coordinates.
    With it the mask of its known pixels, which are those on the tile. ``face`` (s, s, 3) is the print; if it
    is None, nothing is known."""
    if face is None:
        return np.zeros((size_px, size_px, 3), np.uint8), np.zeros((size_px, size_px), np.bool_)
    at = (np.arange(size_px) + 0.5) / size_px
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    points = corners[0] + at[None, :, None] * across + at[:, None, None] * down
    known = ((points >= 0) & (points <= 1)).all(axis=2)
    picture = Sight(face).crops((corners * len(face) - 0.5)[None], size_px)[0]
    return picture * known[..., None].astype(np.uint8), known


def token_pictures(arts: Sequence[U8]) -> U8:
    """Scale pictures of animal tiles, each (s, s, 3 or 4), to uint8 (n, TOKEN_PX, TOKEN_PX, 4).
    A picture without alpha is opaque."""
    laid = []
    for art in arts:
        cover = (
            art[..., 3:].astype(np.float32) / 255
            if art.shape[2] == 4
            else np.ones_like(art[..., :1], np.float32)
        )
        covered = np.dstack([art[..., :3] * cover, 255 * cover])
        resized = cv2.resize(covered, (TOKEN_PX, TOKEN_PX), interpolation=cv2.INTER_AREA)
        small = np.asarray(resized, np.float32)
        small[..., :3] *= 255 / np.maximum(small[..., 3:], 1)
        laid.append(np.clip(np.round(small), 0, 255).astype(np.uint8))
    return np.stack(laid)


def expectations(seen: F32, bare: U8, known: NDArray[np.bool_], tokens: U8) -> F32:
    """Assemble the network's input, float32 (1 + n, CHANNELS, SIDE_PX, SIDE_PX).

    It is for the print alone, then for each of ``tokens`` (`token_pictures`). Channels: ``seen`` (SIDE_PX,
    SIDE_PX, 3) as `BoardLight.whitened` gives it, the expected picture, -1..1 where it is known and else 0,
    its mask, and that of the animal tile. ``bare`` and ``known`` are the print and its mask (`print_square`).
    """
    n, rim = len(tokens), (SIDE_PX - TOKEN_PX) // 2
    inner = slice(rim, rim + TOKEN_PX)
    pictures = np.zeros((1 + n, CHANNELS, SIDE_PX, SIDE_PX), np.float32)
    pictures[:, :3] = np.clip(seen / np.float32(LEVELS) - 1, -1.5, 2).transpose(2, 0, 1)
    pictures[:, 3:6] = ((bare / np.float32(LEVELS) - 1) * known[..., None]).transpose(2, 0, 1)
    pictures[:, 6] = known
    cover = tokens[..., 3].astype(np.float32) / 255
    there = (tokens[..., :3] / np.float32(LEVELS) - 1).transpose(0, 3, 1, 2)
    under = pictures[1:, 3:6, inner, inner]
    pictures[1:, 3:6, inner, inner] = under + cover[:, None] * (there - under)
    pictures[1:, 6, inner, inner] = np.maximum(pictures[1:, 6, inner, inner], cover)
    pictures[1:, 7, inner, inner] = cover
    return pictures


def corners_at(uv: Point, turn_deg: float, side: float) -> NDArray[np.float64]:
    """Return the corners (4, 2) of a crop around an animal tile, in coordinates of its tile.
    ``uv`` is its centre, ``turn_deg`` its clockwise rotation, ``side`` the animal tile's side in tile
    sides."""
    a = math.radians(turn_deg)
    turn = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    reach = side * SIDE_PX / TOKEN_PX
    square = (SQUARE.astype(np.float64) - 0.5) * reach @ turn
    return np.asarray(square + np.asarray(uv, np.float64), np.float64)
