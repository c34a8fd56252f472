"""Stillness: time of the last lasting change of each block of a picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from vision.change.params import PARAMS
from vision.change.small_picture import F32, differs, light_between
from vision.observation import Sight

BLOCKS_ACROSS = 240
"""Number of blocks across a picture: 8 pixels each of one that is 1920 wide."""


class Stillness:
    """Tracker of one camera's picture in blocks: what each shows, and the time since which it shows it.

    A change counts as lasting when it has been there for `stays_s`; until then the block is unsettled.
    """

    def __init__(self) -> None:
        self._shown: F32 | None = None
        self._since_s = np.zeros((0, 0))
        self._new = np.zeros((0, 0), np.bool_)
        self._fresh: F32 = np.zeros((0, 0, 3), np.float32)
        self._fresh_since_s = np.zeros((0, 0))
        self._all_since_s = math.inf
        self._px_per_block = 1.0

    def see(self, sight: Sight, t_s: float) -> None:
        """Update with the next picture, taken at ``t_s`` seconds; a new size of picture starts afresh."""
        self._px_per_block = sight.size_wh[0] / BLOCKS_ACROSS
        now = sight.scaled(BLOCKS_ACROSS).astype(np.float32)
        if self._shown is None or self._shown.shape != now.shape:
            self._shown, self._fresh = now, now.copy()
            self._since_s = np.full(now.shape[:2], t_s, np.float64)
            self._fresh_since_s = self._since_s.copy()
            self._new = np.zeros(now.shape[:2], np.bool_)
            return
        # Relight the stored picture, so that all its parts have the light of this one.
        light = light_between(self._shown, now)
        shown = self._shown * light
        new = _changed(shown, now)
        if new.mean() > PARAMS.nudged_share:
            self._all_changed(now, t_s)
            return
        self._all_since_s = math.inf
        self._shown, self._fresh = shown, self._fresh * light
        if new.any():
            again = new & self._new & ~_changed(self._fresh, now)
            begun = new & ~again
            self._fresh_since_s[begun] = t_s
            self._fresh[begun] = now[begun]
            stays = again & (t_s - self._fresh_since_s > PARAMS.stays_s)
            self._shown[stays] = self._fresh[stays]
            self._since_s[stays] = self._fresh_since_s[stays]
            new &= ~stays
        self._new = new

    def _all_changed(self, now: F32, t_s: float) -> None:
        """Handle a change of most of the picture to ``now``, at ``t_s`` seconds.
        If it lasts, the camera was nudged: the new picture is stored, and the blocks keep their times. If
        not, it was an occlusion or a black picture."""
        self._all_since_s = min(self._all_since_s, t_s)
        if t_s - self._all_since_s > PARAMS.stays_s:
            self._since_s = np.where(self._new, self._fresh_since_s, self._since_s)
            self._shown, self._new = now, np.zeros_like(self._new)
            self._all_since_s = math.inf

    def unsettled_px(self) -> float:
        """Return the area, in pixels of the picture, of blocks that changed less than `stays_s` ago.
        0 if most of the picture changed, because then the camera moved."""
        return float(self._new.sum()) * self._px_per_block**2 if math.isinf(self._all_since_s) else 0.0

    def since_s(self, point_px: tuple[float, float], reach_px: float, share: float = 0.0) -> float | None:
        """Time, in seconds, of the last change in the square within ``reach_px`` of a point.
        The ``share`` of its blocks that changed last is ignored. None outside the picture, or before the
        first one."""
        if self._shown is None:
            return None
        x, y, reach = (value / self._px_per_block for value in (*point_px, reach_px))
        height, width = self._since_s.shape
        columns = slice(max(int(x - reach), 0), max(min(int(x + reach) + 1, width), 0))
        rows = slice(max(int(y - reach), 0), max(min(int(y + reach) + 1, height), 0))
        since_s = self._since_s[rows, columns], self._fresh_since_s[rows, columns]
        part = np.where(self._new[rows, columns], since_s[1], since_s[0])
        return float(np.quantile(part, 1.0 - share)) if part.size else None


def _changed(before: F32, now: F32) -> NDArray[np.bool_]:
    """Mask of the blocks that changed between pictures under the same light."""
    return differs(before, now, PARAMS.block_levels, PARAMS.block_share)
