"""Camera placement and exposure, chosen so that a board is well in the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.pack import Pack

from . import layout, lens
from .layout import Pose


def fit_camera(
    size_wh: tuple[int, int],
    hfov_deg: float,
    elevation_deg: float,
    azimuth_deg: float,
    roll_deg: float,
    k1: float,
    k2: float,
    poses: list[Pose],
    margin_px: float,
    shift: tuple[float, float] = (0.0, 0.0),
    nearest_mm: float = 250.0,
) -> lens.Camera:
    """The nearest camera that has every one of `poses` (45 mm cells) inside by `margin_px`."""
    rim = np.array([[*c, 2.0] for p in poses for c in layout.corners(p)])
    target = np.array([*(rim[:, :2].min(0) + rim[:, :2].max(0)) / 2, 0.0])
    w, h = size_wh
    distance = nearest_mm
    while True:
        cam = lens.aim(size_wh, hfov_deg, target, elevation_deg, azimuth_deg, distance, roll_deg, k1, k2)
        px = cam.project(rim)
        lo, hi = px.min(0), px.max(0)
        if (hi - lo)[0] < w - 2 * margin_px and (hi - lo)[1] < h - 2 * margin_px:
            off = (lo + hi) / 2 - [w / 2 + shift[0], h / 2 + shift[1]]
            if np.abs(off).max() < 2:
                return cam
            # aim at what should be in the middle, then look again
            middle = cam.ground(np.array([[(w - 1) / 2 + off[0], (h - 1) / 2 + off[1]]]))[0]
            target = np.array([*middle, 0.0])
        else:
            distance *= 1.015


def exposure_for(linear: np.ndarray, key: float) -> float:
    """The exposure that brings the middle of the picture to sRGB `key` (0..1)."""
    h, w = linear.shape[:2]
    middle = linear[h // 5 : -h // 5, w // 5 : -w // 5].mean(2)
    return float(((key + 0.055) / 1.055) ** 2.4 / np.exp(np.log(middle + 1e-4).mean()))


def one_piece(pack: Pack) -> tuple[str, ...]:
    """The faces that are one piece of cardboard, west to east: a start of several cells."""
    designs = tuple(design.id for _, design in sorted(pack.start_designs, key=lambda laid: laid[0]))
    return designs if len(designs) > 1 else ()


def art_of(pack: Pack, design: str) -> Path:
    """The face's picture; a clear error where the pack lacks it."""
    path = pack.art_path(design)
    assert path is not None, f"{design} has no art"
    return path
