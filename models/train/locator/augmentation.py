"""Augmentation of stored scenes: frames warped and recoloured, crops with gaps, plain prints, ruled lines."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.locator.stored_scenes import CROP_PX, CROP_SPAN
from vision.geometry.homography import apply_homography
from vision.locate.heatmap import NET_WH
from vision.observation import mean_sides_px

PATCH_WH = (352, 224)
"""Width and height of a training patch of the heat map, in pixels at the network's scale."""


def recoloured(rng: np.random.Generator, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Another light, another sensor: gains, contrast, gamma, dim rooms, noise, now and then grey."""
    levels = np.arange(256, dtype=np.float64) / 255.0
    gamma, contrast, bright = rng.uniform(0.7, 1.4), rng.uniform(0.7, 1.25), rng.uniform(-0.12, 0.12)
    gains = rng.uniform(0.82, 1.18, 3)
    table = ((levels[:, None] * gains) ** gamma - 0.4) * contrast + 0.4 + bright
    lut = np.clip(table * 255.0, 0, 255).astype(np.uint8).reshape(1, 256, 3)
    out = cv2.LUT(picture, lut)
    if rng.random() < 0.25:
        out = out[..., rng.permutation(3)]
    if rng.random() < 0.08:
        out = np.repeat(cv2.cvtColor(np.ascontiguousarray(out), cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    if rng.random() < 0.2:
        out = cv2.GaussianBlur(np.ascontiguousarray(out), (0, 0), rng.uniform(0.4, 1.3))
    if rng.random() < 0.4:
        # A room in the evening: little light, and a sensor that makes noise of it, coarser in its colours.
        out = np.ascontiguousarray(out * np.exp(rng.uniform(np.log(0.4), 0.0)))
        blotches = rng.normal(0, 1, (out.shape[0] // 2 + 1, out.shape[1] // 2 + 1, 3)).astype(np.float32)
        coarse = cv2.resize(blotches, (out.shape[1], out.shape[0]), interpolation=cv2.INTER_LINEAR)
        fine = rng.normal(0, 1, (*out.shape[:2], 1))
        strength = rng.uniform(1, 8) * np.sqrt(0.4 + out / 100.0)
        out = np.clip(out + strength * (fine + rng.uniform(0.2, 1.0) * coarse), 0, 255)
    elif rng.random() < 0.3:
        out = np.clip(out + rng.normal(0, rng.uniform(1, 7), out.shape), 0, 255)
    return np.ascontiguousarray(out, dtype=np.uint8)


def warped_frame(
    rng: np.random.Generator,
    picture: NDArray[np.uint8],
    quads: NDArray[np.float64],
    size_wh: tuple[int, int] = PATCH_WH,
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A part of the frame turned, mirrored, zoomed and tilted; the quads (n, 4, 2) with it.

    The network is convolutional: parts around the board teach as much as whole frames, sooner.
    """
    middle = np.array(size_wh) / 2.0
    focus = rng.uniform(0.1, 0.9, 2) * np.array(NET_WH)
    if len(quads) and rng.random() < 0.85:
        focus = quads[int(rng.integers(len(quads)))].mean(axis=0)
    turn = rng.uniform(-np.pi, np.pi)
    zoom = np.exp(rng.uniform(np.log(0.7), np.log(1.8)))
    if len(quads):
        side = float(mean_sides_px(quads).mean())
        zoom = float(np.clip(zoom, 12.0 / side, 110.0 / side))
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    cos, sin = zoom * np.cos(turn), zoom * np.sin(turn)
    M = np.array([[cos * mirror, -sin, 0.0], [sin * mirror, cos, 0.0], [0.0, 0.0, 1.0]])
    tilt = np.eye(3)
    tilt[2, :2] = rng.uniform(-1.0, 1.0, 2) * 2.5e-4
    goal = middle + rng.uniform(-0.3, 0.3, 2) * np.array(size_wh)
    to_focus, to_goal = np.eye(3), np.eye(3)
    to_focus[:2, 2] = -focus
    to_goal[:2, 2] = goal
    H = to_goal @ tilt @ M @ to_focus
    border = cv2.BORDER_CONSTANT if rng.random() < 0.3 else cv2.BORDER_REPLICATE
    out = cv2.warpPerspective(picture, H, size_wh, flags=cv2.INTER_LINEAR, borderMode=border)
    return out.astype(np.uint8), apply_homography(H, quads.reshape(-1, 2)).reshape(-1, 4, 2)


def with_gap(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The tile with its neighbours moved off a little: a band of table or shadow along some sides."""
    wide = rng.uniform(0.004, 0.045)
    outer = np.array([-wide, -wide, 1.0 + wide, 1.0 + wide])
    outer[rng.random(4) < 0.25] = np.nan
    outer = np.where(np.isnan(outer), [0.0, 0.0, 1.0, 1.0], outer)
    band = _square_mask(*outer) * (1.0 - _square_mask(0.0, 0.0, 1.0, 1.0))
    if rng.random() < 0.5:  # what lies at the crop's rim is often the table, here in the shade
        rim = np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])
        base = rim[int(rng.integers(len(rim)))] * rng.uniform(0.35, 1.0)
    else:
        base = rng.uniform(10, 130) * rng.uniform(0.7, 1.3, 3)
    color = np.clip(base + rng.normal(0, 6, (*crop.shape[:2], 1)), 0, 255)
    mixed = crop * (1.0 - band[..., None]) + color * band[..., None]
    return np.asarray(mixed, dtype=np.uint8)


def _square_mask(x0: float, y0: float, x1: float, y1: float) -> NDArray[np.float32]:
    """1 inside a box of the crop given in sides, 0 outside, soft by a pixel: (112, 112)."""
    points = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    scale = CROP_PX / (CROP_SPAN[1] - CROP_SPAN[0])
    at = np.round(((points - CROP_SPAN[0]) * scale - 0.5) * 16.0).astype(np.int32)
    mask = cv2.fillConvexPoly(np.zeros((CROP_PX, CROP_PX), np.uint8), at, 255, cv2.LINE_AA, 4)
    return np.asarray(mask, np.float32) / 255.0


def plain(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The tile's print washed out to one colour or nearly: many games have plain faces."""
    inside = _square_mask(0.0, 0.0, 1.0, 1.0)[..., None]
    face = cv2.GaussianBlur(crop, (0, 0), rng.uniform(4.0, 14.0)).astype(np.float32)
    if rng.random() < 0.5:
        face = face.mean(axis=(0, 1), keepdims=True) + 0.15 * (face - face.mean(axis=(0, 1), keepdims=True))
    if rng.random() < 0.5:
        face = 0.3 * face + 0.7 * rng.uniform(20, 235, 3).astype(np.float32)
    mixed = crop * (1.0 - inside) + face * inside
    return np.asarray(np.clip(mixed, 0, 255), dtype=np.uint8)


def ruled(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A bare cell between ruled lines: cutting mats and tablecloths have grids of their own."""
    wide = rng.uniform(0.006, 0.03)
    lines = np.zeros((CROP_PX, CROP_PX), np.float32)
    step = float(rng.choice([1.0, 1.0, 0.5, 0.25]))
    for at in np.arange(-0.5, 1.501, step) if step < 1.0 else np.array([0.0, 1.0]):
        lines = np.maximum(lines, _square_mask(-0.5, at - wide, 1.5, at + wide))
        lines = np.maximum(lines, _square_mask(at - wide, -0.5, at + wide, 1.5))
    shade = rng.uniform(0.4, 1.0) * lines[..., None]
    mixed = crop * (1.0 - shade) + rng.uniform(0, 255, 3) * shade
    return np.asarray(mixed, dtype=np.uint8)
