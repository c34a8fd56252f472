"""Cell networks: the four sides of each tile, to a hundredth of a side, and whether a cell holds a tile.

Neither network knows the art. Each side is cropped as a strip along it, with the tile's inside below. One
network predicts the side's position across the strip at both ends, and the probability that there is a side
of a laid tile. The corners are intersections of the side lines, so rounded or occluded corners do not matter.

A second network tells from the rectified cell and its margin whether it holds exactly one laid tile. Its
negatives include bare gaps between tiles, which have edges on three sides, and cells of a wrong lattice that
cut tiles in two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import UNIT_SQUARE, square_to_quads
from vision.observation import Sight, mean_sides_px

STRIP_WH = (64, 32)
ALONG = (-0.2, 1.2)
"""Extent of a strip along its side, in sides; the side's ends are 0 and 1."""
ACROSS = (-0.3, 0.3)
"""Extent of a strip across its side, in sides, positive into the tile."""
LEAST_PX = 16
"""Minimum side of an averaged picture, in pixels."""
BINS = 31
REACH = 0.27
"""Bin centres are equally spaced from -REACH to REACH, in sides."""

SidesNetwork = Callable[[NDArray[np.uint8]], tuple[NDArray[np.float32], NDArray[np.float32]]]
"""Maps strips uint8 (n, 32, 64, 3) to probabilities (n, 2, BINS) of the side's position at each end, and
probabilities (n,) that the strip holds a side of a laid tile."""

CELL_PX = 48
SPAN = (-0.35, 1.35)
"""Extent of the network's crop along each axis, in sides; the cell is 0..1."""

CellsNetwork = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Maps rectified cells uint8 (n, 48, 48, 3) to the probability (n,) that each is one laid tile."""


def strip_grid() -> NDArray[np.float64]:
    """Positions (32, 64, 2) of a strip's pixels as (along, across), in sides."""
    width, height = STRIP_WH
    along = ALONG[0] + (np.arange(width) + 0.5) / width * (ALONG[1] - ALONG[0])
    across = ACROSS[0] + (np.arange(height) + 0.5) / height * (ACROSS[1] - ACROSS[0])
    grid = np.empty((height, width, 2))
    grid[..., 0] = along[None]
    grid[..., 1] = across[:, None]
    return grid


# From the frame of side i (along, across) to the unit square: nw->ne, ne->se, se->sw, sw->nw.
_SIDE_ALONG = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
_SIDE_ACROSS = np.array([[0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])


def side_points(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert points (m, 2) of (along, across) to the unit square, for each of the four sides: (4, m, 2)."""
    along, across = points[:, 0], points[:, 1]
    return np.asarray(
        UNIT_SQUARE[:, None]
        + along[None, :, None] * _SIDE_ALONG[:, None]
        + across[None, :, None] * _SIDE_ACROSS[:, None]
    )


def cut(
    sight: Sight, quads: NDArray[np.float64], points: NDArray[np.float64], finest_px: float
) -> NDArray[np.uint8]:
    """Crop quads (n, 4, 2) of the frame on a common grid: uint8 (n, h, w, 3).

    ``points`` (h, w, 2) are the positions of a crop's pixels in the unit square. If the quads' sides exceed
    ``finest_px`` pixels, they are cut from a shrunk picture, of at least `LEAST_PX` pixels per side even for
    degenerate lattices with huge cells.
    """
    height, width = points.shape[:2]
    side, factor = float(mean_sides_px(quads).mean()), 1
    while side / finest_px > factor and min(sight.size_wh) >= 2 * factor * LEAST_PX:
        factor *= 2
    source = sight.shrunk(factor)
    maps = square_to_quads((quads + 0.5) / factor - 0.5).transpose(1, 0, 2).reshape(-1, 3).astype(np.float32)
    flat = np.column_stack([points.reshape(-1, 2), np.ones(height * width)]).astype(np.float32)
    # One matrix product for all crops, for speed.
    across_px, down_px, depth = (maps @ flat.T).reshape(3, -1, width)
    depth = np.where(np.abs(depth) < 1e-6, np.float32(1e-6), depth)
    xs, ys = (np.clip(part / depth, -1e4, 3e4) for part in (across_px, down_px))
    # cv2.remap is limited to 32767 rows: process in chunks.
    parts = [
        cv2.remap(source, xs[i:end], ys[i:end], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for i, end in ((i, i + 16384) for i in range(0, len(xs), 16384))
    ]
    return np.concatenate(parts).astype(np.uint8).reshape(-1, height, width, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Measured sides of n quads.

    ``offsets`` (n, 4, 2): position across the strip at the side's two ends, in sides, positive into the tile.
    ``sure`` (n, 4, 2): 0..1, concentration of that distribution. ``present`` (n, 4): probability of a side of
    a laid tile.
    """

    offsets: NDArray[np.float64]
    sure: NDArray[np.float64]
    present: NDArray[np.float64]


def bin_centres() -> NDArray[np.float64]:
    """The offsets (BINS,) of the bins, in sides."""
    return np.linspace(-REACH, REACH, BINS)


def read_sides(sight: Sight, quads: NDArray[np.float64], network: SidesNetwork) -> Sides:
    """Measure the sides of quads (n, 4, 2), which must be accurate to a fifth of a side."""
    width, height = STRIP_WH
    points = side_points(strip_grid().reshape(-1, 2)).reshape(4 * height, width, 2)
    # A strip's pixel is a fiftieth of a side.
    strips = cut(sight, quads, points, 2.0 * height / (ACROSS[1] - ACROSS[0]))
    places, present = network(strips.reshape(-1, height, width, 3))
    chances = np.asarray(places, dtype=np.float64).reshape(-1, BINS)
    centres = bin_centres()
    top = chances.argmax(axis=1)
    # Mean over the bins near the mode, so that a second line does not bias it.
    near = np.abs(np.arange(BINS)[None] - top[:, None]) <= 3
    mass = chances * near
    total = mass.sum(axis=1)
    offsets = (mass * centres[None]).sum(axis=1) / np.maximum(total, 1e-9)
    count = len(quads)
    return Sides(
        offsets.reshape(count, 4, 2),
        total.reshape(count, 4, 2),
        np.asarray(present, dtype=np.float64).reshape(count, 4),
    )


def corners_from_sides(sides: Sides) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return corners (n, 4, 2) and their confidences (n, 4), in the unit square of each quad.
    A corner is the intersection of two adjacent side lines."""
    ends = np.empty((*sides.offsets.shape, 2))
    for end in range(2):
        local = np.stack([np.full(sides.offsets.shape[:2], float(end)), sides.offsets[..., end]], axis=2)
        ends[:, :, end] = (
            UNIT_SQUARE[None] + local[..., :1] * _SIDE_ALONG[None] + local[..., 1:] * _SIDE_ACROSS[None]
        )
    start, stop = ends[:, :, 0], ends[:, :, 1]
    direction = stop - start
    before_start = np.roll(start, 1, axis=1)
    before_direction = np.roll(direction, 1, axis=1)
    det = before_direction[..., 0] * -direction[..., 1] + direction[..., 0] * before_direction[..., 1]
    gap = start - before_start
    t = (gap[..., 0] * -direction[..., 1] + direction[..., 0] * gap[..., 1]) / np.where(
        np.abs(det) < 1e-6, 1e-6, det
    )
    corners = before_start + t[..., None] * before_direction
    sure = np.minimum(sides.sure[:, :, 0], np.roll(sides.sure[:, :, 1], 1, axis=1))
    return corners, sure


def tile_chances(sight: Sight, quads: NDArray[np.float64], network: CellsNetwork) -> NDArray[np.float64]:
    """The probability (n,) that each of the quads (n, 4, 2) is one laid tile."""
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    points = np.stack(np.meshgrid(along, along), axis=-1)
    cells = cut(sight, quads, points, 1.8 * CELL_PX / (SPAN[1] - SPAN[0]))
    return np.asarray(network(cells), dtype=np.float64).reshape(-1)
