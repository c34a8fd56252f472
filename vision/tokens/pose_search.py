"""Pose search: position and rotation of an animal tile that lies at any angle.

Each animal's picture, in each rotation, is compared pixel by pixel with the photograph at every position
around a place; the gain is how much better it explains the photograph than the print does. Differences are
clipped, so that occlusions such as a meeple count for neither. This coarse search only proposes poses; the
choice is made by `vision.tokens.search`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.geometry import Point
from vision.geometry.homography import SQUARE
from vision.tokens.params import PARAMS
from vision.tokens.templates import TURNS_DEG, turned_picture

F32 = NDArray[np.float32]

SIDE_PX = 12
"""Side of an animal tile in the pose search, in pixels."""
FRAME = 1.5
"""Side of the square in which a picture is rotated, in its own sides."""
FINER = 8
"""Oversampling factor at which it is rotated."""
POSES = 4
"""Maximum number of distinct poses returned."""


@dataclass(frozen=True, slots=True)
class TokenPose:
    """Pose of an animal tile: ``uv`` is its centre on the tile.
    ``turn_deg`` is its clockwise rotation against the tile's quad, ``gain_px`` its gain over the print, in
    pixels (of `SIDE_PX` per side)."""

    uv: Point
    turn_deg: int
    gain_px: float


@dataclass(frozen=True, slots=True, eq=False)
class TokenShapes:
    """Small pictures of the animal tiles in each of `TURNS_DEG`.
    ``colors`` are float32 [turns × animals, 3, s, s], BGR, ``cover`` [turns × animals, s, s], 0..1; ``side``
    is an animal tile's in tile sides."""

    colors: F32
    cover: F32
    side: float

    @classmethod
    def of(cls, pictures: NDArray[np.uint8], side: float) -> TokenShapes:
        """Render the shapes of ``pictures`` uint8 [animals, h, h, 4], each from edge to edge.
        ``side`` is an animal tile's side in tile sides."""
        turned = [_turned(picture, turn) for turn in TURNS_DEG for picture in pictures]
        both = np.stack(turned)
        return cls(np.ascontiguousarray(both[:, :3]), np.ascontiguousarray(both[:, 3]), side)


@dataclass(frozen=True, slots=True, eq=False)
class SearchArea:
    """The square of a tile in which poses are searched.
    ``per_side`` is pixels per tile side, ``first`` (2,) its upper left pixel on the tile, ``size_px`` its
    side."""

    per_side: int
    first: NDArray[np.int64]
    size_px: int

    @classmethod
    def around(cls, uv: Point, reach: float, shapes: TokenShapes) -> SearchArea:
        """Return the area for centres within ``reach`` tile sides of ``uv`` (0..1 on the tile) in x and y."""
        per_side = round(SIDE_PX / shapes.side)
        rim = round(reach * per_side) + shapes.cover.shape[1] // 2
        return cls(per_side, np.array([round(at * per_side) - rim for at in uv], np.int64), 2 * rim)

    @property
    def corners(self) -> NDArray[np.float64]:
        """Its corners (4, 2), in coordinates of the tile."""
        return np.asarray((SQUARE.astype(np.float64) * self.size_px + self.first) / self.per_side)


def likely_poses(
    area: SearchArea, shapes: TokenShapes, seen: F32, print_: NDArray[np.uint8], known: NDArray[np.bool_]
) -> list[TokenPose]:
    """Search poses in an area, at most POSES, largest gain first.

    ``seen``, ``print_`` and ``known`` are the area's view (`BoardPhoto.view`). Poses with a gain below
    `least_gain_px` are left out, so the list is empty if the print alone explains the photograph.
    """
    size, first, per_side = shapes.cover.shape[1], area.first, area.per_side
    bare = np.minimum(np.abs(seen - print_).mean(axis=2), PARAMS.cut_levels)
    bare[~known] = PARAMS.unknown_share * PARAMS.cut_levels
    gains = _gains(seen, bare, shapes)
    across = area.size_px - size + 1
    found: list[TokenPose] = []
    for place, turn in zip(*np.unravel_index(np.argsort(-gains, axis=None), gains.shape), strict=True):
        gain_px = float(gains[place, turn])
        if gain_px < PARAMS.least_gain_px or len(found) == POSES:
            break
        y, x = divmod(int(place), across)
        at = (float(x + size / 2 + first[0]) / per_side, float(y + size / 2 + first[1]) / per_side)
        pose = TokenPose(at, TURNS_DEG[int(turn)], gain_px)
        if not any(_alike(pose, other) for other in found):
            found.append(pose)
    return found


def _gains(seen: F32, bare: F32, shapes: TokenShapes) -> F32:
    """Return the gain [places, turns], in pixels, of the best animal over the print.
    Places are in row-major order. ``seen`` is the relit photograph, ``bare`` its difference from the
    print."""
    size = shapes.cover.shape[1]
    windows = sliding_window_view(seen, (size, size), axis=(0, 1)).reshape(-1, 3, size, size)
    bares = sliding_window_view(bare, (size, size)).reshape(-1, size * size)
    pictures = shapes.colors
    cover = shapes.cover.reshape(len(pictures), -1)
    gains = np.empty((len(windows), len(pictures)), np.float32)
    for place, (window, without) in enumerate(zip(windows, bares, strict=True)):
        with_it = np.abs(pictures - window).sum(axis=1).reshape(len(pictures), -1) / 3
        np.minimum(with_it, PARAMS.cut_levels, out=with_it)
        gains[place] = ((without - with_it) * cover).sum(axis=1) / PARAMS.cut_levels
    return np.asarray(gains.reshape(len(windows), len(TURNS_DEG), -1).max(axis=2), np.float32)


def _alike(a: TokenPose, b: TokenPose) -> bool:
    """Whether two poses are nearly the same."""
    turn = abs(a.turn_deg - b.turn_deg)
    return math.dist(a.uv, b.uv) <= PARAMS.astray_sides and min(turn, 360 - turn) <= TURNS_DEG[1]


def _turned(picture: NDArray[np.uint8], turn_deg: int) -> F32:
    """Rotate a picture (h, h, 4) by ``turn_deg`` clockwise and shrink it.
    Returns float32 (4, s, s), colours BGR and cover 0..1."""
    small = turned_picture(picture, turn_deg, SIDE_PX, 2 * round(FRAME * SIDE_PX / 2), FINER)
    colors = small[..., :3] / np.maximum(small[..., 3:], 1e-3)
    return np.concatenate([colors, small[..., 3:]], axis=2).transpose(2, 0, 1)
