"""Rectification of tiles: from quads in a photograph to square crops seen from above."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import UNIT_SQUARE
from vision.observation import mean_sides_px

SQUARE = UNIT_SQUARE.astype(np.float32)


def homographies(quads: NDArray[np.floating], size_px: int) -> NDArray[np.float64]:
    """Maps from photograph pixels to crop pixels, float64 [n, 3, 3].

    `quads` [n, 4, 2] are corners nw, ne, se, sw with pixel centres at whole numbers; they fall on the
    outer rims of the crop's corner pixels.
    """
    target = SQUARE * size_px - np.float32(0.5)
    maps = [cv2.getPerspectiveTransform(quad.astype(np.float32), target) for quad in np.asarray(quads)]
    return np.asarray(maps, np.float64).reshape(-1, 3, 3)


def rectify(image_bgr: NDArray[np.uint8], quads: NDArray[np.floating], size_px: int) -> NDArray[np.uint8]:
    """Crops uint8 [n, size_px, size_px, 3] of `quads` [n, 4, 2] (corners nw, ne, se, sw, image pixels).

    What lies outside the image repeats its rim. Tiles much larger than the crop are shrunk by area first,
    so that they do not alias.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    crops = np.empty((len(quads), size_px, size_px, 3), np.uint8)
    if len(quads) == 0:
        return crops
    sides = mean_sides_px(quads)
    halvings = np.maximum(0, np.floor(np.log2(np.maximum(sides, 1) / size_px))).astype(int)
    for level in np.unique(halvings):
        factor = 2 ** int(level)
        source, quads_here = _shrunk(image_bgr, quads[halvings == level], factor)
        maps = homographies(quads_here, size_px)
        for index, h_crop_from_px in zip(np.flatnonzero(halvings == level), maps, strict=True):
            cv2.warpPerspective(
                source,
                h_crop_from_px,
                (size_px, size_px),
                dst=crops[index],
                flags=cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )
    return crops


def _shrunk(
    image_bgr: NDArray[np.uint8], quads: NDArray[np.float64], factor: int
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The part of the image around `quads`, shrunk by a whole factor, and the quads in it."""
    if factor == 1:
        return image_bgr, quads
    height, width = image_bgr.shape[:2]
    low = np.clip(np.floor(quads.min(axis=(0, 1)) / factor) - 2, 0, None).astype(int) * factor
    high = np.ceil(quads.max(axis=(0, 1)) / factor).astype(int) * factor + 2 * factor
    part = image_bgr[
        low[1] : max(low[1] + factor, min(high[1], height)),
        low[0] : max(low[0] + factor, min(high[0], width)),
    ]
    if part.size == 0:
        return image_bgr, quads
    size_wh = (max(1, part.shape[1] // factor), max(1, part.shape[0] // factor))
    part = part[: size_wh[1] * factor, : size_wh[0] * factor]
    small = np.asarray(cv2.resize(part, size_wh, interpolation=cv2.INTER_AREA), np.uint8)
    return small, (quads - low + 0.5) / factor - 0.5
