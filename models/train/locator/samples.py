"""Samples for the locator's three networks: pictures and targets drawn from stored scenes."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.locator.augmentation import PATCH_WH, plain, recoloured, ruled, with_gap
from models.train.locator.stored_scenes import CROP_LATTICE, CROP_PX, CROP_SPAN
from vision.geometry.homography import apply_homography, homography
from vision.locate.cell_networks import BINS, CELL_PX, SPAN, STRIP_WH, bin_centres, side_points, strip_grid
from vision.locate.heatmap import STRIDE, UNIT_PX


def heat_targets(
    quads: NDArray[np.float64], seen: NDArray[np.float64], size_wh: tuple[int, int] = PATCH_WH
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Targets (9, h, w) at a quarter of ``size_wh`` in the order of `vision.locate.heatmap.HeatNetwork`,
    and the weight (h, w) of the regressed ones."""
    width, height = size_wh[0] // STRIDE, size_wh[1] // STRIDE
    target = np.zeros((9, height, width), np.float32)
    weight = np.zeros((height, width), np.float32)
    grid_x, grid_y = np.meshgrid(np.arange(width), np.arange(height))
    face = np.zeros((height * 2, width * 2), np.uint8)
    for quad, share in zip(quads, seen, strict=True):
        if share < 0.05:
            continue
        # Twice the map's resolution, then averaged: a soft border where a cell is half a face.
        points = np.round(((quad - (STRIDE - 1) / 2.0) / STRIDE * 2 + 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(face, points, 255, cv2.LINE_AA, 4)
    target[2] = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA) / 255.0
    for quad, share in zip(quads, seen, strict=True):
        cells = (quad - (STRIDE - 1) / 2.0) / STRIDE
        along = ((quad[1] + quad[2] - quad[0] - quad[3]) / 2.0) / UNIT_PX
        down = ((quad[2] + quad[3] - quad[0] - quad[1]) / 2.0) / UNIT_PX
        a = np.array([complex(*along)])
        b = np.array([complex(*down)])
        # In the map's cells; a small tile keeps a peak of its own, a big one is not a needle.
        sigma = max(0.75, 0.09 * float(np.sqrt(abs(a[0]) * abs(b[0]))) * UNIT_PX / STRIDE)
        for corner in cells:
            if share > 0.2:
                _splat(target[1], corner, max(0.75, 0.6 * sigma))
        if share < 0.25:
            continue
        middle = cells.mean(axis=0)
        bump = _splat(target[0], middle, sigma)
        if bump is None:
            continue
        rows, cols, heat = bump
        stronger = heat > weight[rows, cols]
        p, q = shape_of(a, b)
        values = (None, None, p[0].real, p[0].imag, q[0].real, q[0].imag)
        target[3][rows, cols][stronger] = ((middle[0] - grid_x[rows, cols]) * STRIDE / UNIT_PX)[stronger]
        target[4][rows, cols][stronger] = ((middle[1] - grid_y[rows, cols]) * STRIDE / UNIT_PX)[stronger]
        for channel, value in enumerate(values):
            if value is not None:
                target[3 + channel][rows, cols][stronger] = value
        weight[rows, cols][stronger] = heat[stronger]
    weight[weight < 0.1] = 0.0
    return target, weight


def shape_of(
    a: NDArray[np.complex128], b: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Encode side vectors a and b as the shape numbers (p, q), which are lengths in the same unit."""
    size = np.maximum(np.sqrt(np.abs(a) * np.abs(b)), 1e-9)
    return (a**2 + b**2) / size, (a**2 * b**2) / size**3


def _splat(
    heat: NDArray[np.float32], at: NDArray[np.float64], sigma: float
) -> tuple[slice, slice, NDArray[np.float32]] | None:
    """Draws a bump into the map where it is stronger than what is there."""
    height, width = heat.shape
    radius = int(np.ceil(3 * sigma))
    x, y = round(float(at[0])), round(float(at[1]))
    rows = slice(max(y - radius, 0), min(y + radius + 1, height))
    cols = slice(max(x - radius, 0), min(x + radius + 1, width))
    if rows.start >= rows.stop or cols.start >= cols.stop:
        return None
    dy = np.arange(rows.start, rows.stop)[:, None] - at[1]
    dx = np.arange(cols.start, cols.stop)[None] - at[0]
    bump = np.exp(-(dx**2 + dy**2) / (2 * sigma**2)).astype(np.float32)
    np.maximum(heat[rows, cols], bump, out=heat[rows, cols])
    return rows, cols, bump


def side_samples(
    rng: np.random.Generator, crop: NDArray[np.uint8], present: bool
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Four strips of one crop as a wrong first guess would cut them.

    Returns strips uint8 (4, 32, 64, 3), each end's true place across as soft bins (4, 2, BINS)
    (zeros: not asked), and whether a laid tile's side is in the strip (4,).
    """
    span = CROP_SPAN[1] - CROP_SPAN[0]
    off_lattice = present and rng.random() < 0.22
    spread = float(rng.choice([0.02, 0.05, 0.09]))
    shift = rng.uniform(-2.2, 2.2, 2) * spread
    turn = rng.normal(0, 0.8 * spread)
    size = float(np.exp(rng.normal(0, spread * 0.8)))
    if off_lattice:
        # A lattice that is none: shifted, turned, of another size. Its sides are no tile's sides.
        kind = int(rng.integers(3))
        if kind == 0:
            shift = rng.uniform(-1.0, 1.0, 2)
            shift = shift / np.abs(shift).max() * rng.uniform(0.33, 0.5)
        elif kind == 1:
            turn = rng.choice([-1.0, 1.0]) * rng.uniform(0.35, 0.79)
            shift = rng.uniform(-0.4, 0.4, 2)
        else:
            size = float(rng.choice([rng.uniform(0.45, 0.62), rng.uniform(1.35, 1.6)]))
            shift = rng.uniform(-0.15, 0.15, 2)
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    guess = (CROP_LATTICE - 0.5) * size @ rotate.T + 0.5 + shift
    guess = guess + rng.normal(0, spread * 0.35, (4, 2))
    if present and rng.random() < 0.15:
        crop = plain(rng, crop)
    if present and rng.random() < 0.45:
        crop = with_gap(rng, crop)
    if rng.random() < 0.5:
        crop = crop[:, ::-1]  # mirrored, the straight tile is a straight tile
    to_crop = homography(CROP_LATTICE, guess)
    width, height = STRIP_WH
    unit = side_points(strip_grid().reshape(-1, 2)).reshape(-1, 2)
    where = (apply_homography(to_crop, unit) - CROP_SPAN[0]) / span * CROP_PX - 0.5
    maps = where.reshape(-1, width, 2).astype(np.float32)
    xs, ys = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
    strips = cv2.remap(
        recoloured(rng, crop), xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).reshape(4, height, width, 3)
    places = np.zeros((4, 2, BINS), np.float32)
    held = np.zeros(4, np.float32)
    if present and not off_lattice:
        true_square = apply_homography(np.asarray(np.linalg.inv(to_crop), np.float64), CROP_LATTICE)
        for side in range(4):
            offsets = _across_at_ends(true_square, side)
            if np.abs(offsets).max() < 0.262:
                places[side] = _soft_bins(offsets)
                held[side] = 1.0
            else:
                held[side] = -1.0  # out of the strip's reach: says nothing either way
    return strips.astype(np.uint8), places, held


def cell_sample(
    rng: np.random.Generator, crop: NDArray[np.uint8], present: bool
) -> tuple[NDArray[np.uint8], float]:
    """One cell uint8 (48, 48, 3) as a lattice would cut it, and whether it is one laid tile.

    A tile cut by a lattice that is none (shifted, turned, skewed, of another size) is no tile.
    """
    if present and rng.random() < 0.2:
        crop = plain(rng, crop)
    if present and rng.random() < 0.3:
        crop = with_gap(rng, crop)
    if not present and rng.random() < 0.3:
        crop = ruled(rng, crop)
    shift = rng.normal(0, 0.025, 2)
    turn, size = float(rng.normal(0, 0.03)), float(np.exp(rng.normal(0, 0.02)))
    skew, stretch = rng.normal(0, 0.015, 2) + np.array([0.0, 1.0])
    held = float(present)
    if present and rng.random() < 0.35:
        held = 0.0
        kind = int(rng.integers(4))
        if kind == 3:
            skew, stretch = rng.choice([-1.0, 1.0]) * rng.uniform(0.18, 0.5), rng.uniform(0.75, 1.35)
        elif kind == 0:
            shift = rng.uniform(-1.0, 1.0, 2)
            shift = shift / np.abs(shift).max() * rng.uniform(0.25, 0.5)
        elif kind == 1:
            turn = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 0.79))
        else:
            size = float(rng.choice([rng.uniform(0.45, 0.7), rng.uniform(1.3, 1.75)]))
    quarter = int(rng.integers(4)) * np.pi / 2
    cos, sin = np.cos(turn + quarter), np.sin(turn + quarter)
    rotate = np.array([[cos, -sin], [sin, cos]]) @ np.array([[1.0, skew], [0.0, stretch]])
    if rng.random() < 0.5:
        rotate = rotate @ np.diag([-1.0, 1.0])
    scale = CROP_PX / (CROP_SPAN[1] - CROP_SPAN[0])
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    grid = np.stack(np.meshgrid(along, along), axis=-1) - 0.5
    where = (grid * size @ rotate.T + 0.5 + shift - CROP_SPAN[0]) * scale - 0.5
    maps = where.astype(np.float32)
    xs, ys = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
    cell = cv2.remap(recoloured(rng, crop), xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cell, np.uint8), held


def _across_at_ends(quad: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Offsets of the true side from the guessed one at its two ends, across the side, positive inwards."""
    start, stop = quad[side], quad[(side + 1) % 4]
    origin = CROP_LATTICE[side]
    along = CROP_LATTICE[(side + 1) % 4] - origin
    across = np.array([-along[1], along[0]])
    u = np.array([(start - origin) @ along, (stop - origin) @ along])
    v = np.array([(start - origin) @ across, (stop - origin) @ across])
    slope = (v[1] - v[0]) / (u[1] - u[0])
    return np.array([v[0] - slope * u[0], v[0] + slope * (1.0 - u[0])])


def _soft_bins(offsets: NDArray[np.float64]) -> NDArray[np.float32]:
    centres = bin_centres()
    step = centres[1] - centres[0]
    bins = np.exp(-(((offsets[:, None] - centres[None]) / (0.7 * step)) ** 2) / 2)
    return np.asarray(bins / bins.sum(axis=1, keepdims=True), np.float32)
