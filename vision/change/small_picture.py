"""Small pictures: frames shrunk until the sensor's noise averages out, and their differences.

Differences are taken under equal light. All change detection uses this module, so that there is one
definition of a change.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.change.params import PARAMS
from vision.observation import BoardPose, Sight

F32 = NDArray[np.float32]

WIDTH_PX = 320
"""Width of a small picture, pixels."""
BLUR_PX = 1.2
"""Standard deviation of its smoothing, pixels."""
STILL_PX = 6
"""Number of changed small pixels from which on a change is more than noise."""
RIM_PX = 3.0
"""Width, in small pixels, of the rim that is compared around a tile: its shadow falls there."""
DARK_LEVELS, LIGHT_MOST = 12.0, 3.0
"""Levels below which a pixel is ignored when light is measured, and the maximum change factor of light."""
SAMPLED = 4
"""Stride, in pixels, of the rows and columns at which light is measured."""


def light_between(before: F32, now: F32) -> F32:
    """Median gain in brightness (c,) of each channel from picture ``before`` (h, w, c) to ``now``.
    It is clipped to a factor of `LIGHT_MOST`, and 1 if ``before`` is black."""
    few = (slice(None, None, SAMPLED), slice(None, None, SAMPLED))
    lit = (before[few] > DARK_LEVELS).all(axis=2)
    if not lit.any():
        return np.ones(before.shape[2], np.float32)
    brighter = np.median(now[few][lit] / before[few][lit], axis=0)
    return np.asarray(np.clip(brighter, 1 / LIGHT_MOST, LIGHT_MOST), np.float32)


def differs(before: F32, now: F32, levels: float, share: float = 0.0) -> NDArray[np.bool_]:
    """Return a mask (h, w) of the pixels at which any channel differs between two pictures (h, w, c).
    The difference must exceed both ``levels`` and the fraction ``share`` of the earlier value."""
    least = np.maximum(levels, share * before) if share else levels
    return np.asarray((np.abs(now - before) > least).any(axis=2))


@dataclass(frozen=True, slots=True, eq=False)
class SmallPicture:
    """A small grey frame: ``levels`` float32 (h, w, 1); ``scale`` is small pixels per frame pixel."""

    levels: F32
    scale: float

    @staticmethod
    def of(sight: Sight) -> SmallPicture:
        """Return a picture shrunk to `WIDTH_PX`, smoothed and in grey."""
        grey = cv2.cvtColor(sight.scaled(WIDTH_PX), cv2.COLOR_BGR2GRAY).astype(np.float32)
        soft = np.asarray(cv2.GaussianBlur(grey, (0, 0), BLUR_PX), np.float32)
        return SmallPicture(soft.reshape(-1, WIDTH_PX, 1), WIDTH_PX / sight.size_wh[0])


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Differences between two frames of one camera, except for a change of the overall light."""

    before: SmallPicture
    now: SmallPicture

    @staticmethod
    def between(before: SmallPicture | None, now: SmallPicture) -> Changes | None:
        """Return the changes between two frames; None if ``before`` is None or the shapes differ."""
        if before is None or before.levels.shape != now.levels.shape:
            return None
        return Changes(before, now)

    def spots(self, levels: float) -> NDArray[np.bool_]:
        """Mask (h, w) of the small pixels that differ by more than ``levels`` grey levels."""
        light = light_between(self.before.levels, self.now.levels)
        return differs(self.before.levels * light, self.now.levels, levels)

    @property
    def none(self) -> bool:
        """Whether nothing changed at all, not even by a shadow."""
        return not self.spots(PARAMS.changed_levels).any()

    @property
    def still(self) -> bool:
        """Whether nothing moved: fewer than STILL_PX small pixels changed by `moved_levels`."""
        return int(self.spots(PARAMS.moved_levels).sum()) < STILL_PX

    def touched(self, quads: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mask (n,) of the quads (n, 4, 2), in frame pixels, that changed inside or on their rim."""
        spots = self.spots(PARAMS.changed_levels)
        total = np.pad(np.cumsum(np.cumsum(spots, axis=0), axis=1), ((1, 0), (1, 0)))
        height, width = spots.shape
        low = np.floor(quads.min(axis=1) * self.now.scale - RIM_PX).astype(int)
        high = np.ceil(quads.max(axis=1) * self.now.scale + RIM_PX + 1.0).astype(int)
        x0, x1 = np.clip(low[:, 0], 0, width), np.clip(high[:, 0], 0, width)
        y0, y1 = np.clip(low[:, 1], 0, height), np.clip(high[:, 1], 0, height)
        return np.asarray(total[y1, x1] - total[y0, x1] - total[y1, x0] + total[y0, x0] >= 2)

    def share(self, pose: BoardPose | None) -> float:
        """The share, 0..1, of the board and half a tile around it that changed.
        Of the whole picture if ``pose`` is None or outside of it."""
        moved = self.spots(PARAMS.moved_levels)
        region = _board_mask(pose, moved.shape, self.now.scale)
        return float(moved[region].mean()) if region.any() else float(moved.mean())


def _board_mask(pose: BoardPose | None, shape: tuple[int, ...], scale: float) -> NDArray[np.bool_]:
    """Mask ``shape`` (h, w) of the board and half a tile around it; empty if ``pose`` is None.
    ``scale`` is small pixels per pixel of the frame."""
    mask = np.zeros(shape[:2], np.uint8)
    if pose is None or not pose.quads:
        return mask.astype(bool)
    corners = np.concatenate(list(pose.quads.values())) * scale
    hull = cv2.convexHull(corners.astype(np.float32)).reshape(-1, 2)
    middle = hull.mean(axis=0)
    reach = max(float(np.linalg.norm(hull - middle, axis=1).max()), 1.0)
    grown = middle + (hull - middle) * (1 + 0.5 * pose.tile_side_px * scale / reach)
    cv2.fillConvexPoly(mask, np.round(grown).astype(np.int32).reshape(-1, 1, 2), 1)
    return mask.astype(bool)
