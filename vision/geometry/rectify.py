"""Rectification of tiles: from quads in a photograph to square crops."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import UNIT_SQUARE
from vision.observation import mean_sides_px

SQUARE = UNIT_SQUARE.astype(np.float32)


class Pyramid:
    """A picture, uint8 (h, w, 3), with a cache of its shrunk copies, for cutting many crops from it."""

    def __init__(self, image_bgr: NDArray[np.uint8]) -> None:
        self.image = image_bgr
        self._shrunk: dict[int, NDArray[np.uint8]] = {1: image_bgr}

    def shrunk(self, factor: int) -> NDArray[np.uint8]:
        """The picture shrunk by an integer factor, by area averaging; an incomplete last row and column are
        cut."""
        known = self._shrunk.get(factor)
        if known is None:
            known = self._shrunk[factor] = _by_area(self.image, factor)
        return known


ImageOrPyramid = NDArray[np.uint8] | Pyramid


def homographies(quads: NDArray[np.floating], size_px: int) -> NDArray[np.float64]:
    """Homographies (n, 3, 3) from photograph pixels to crop pixels.

    ``quads`` (n, 4, 2) are corners nw, ne, se, sw, with pixel centres at integers; they map to the outer
    corners of the crop's corner pixels.
    """
    target = SQUARE * size_px - np.float32(0.5)
    maps = [cv2.getPerspectiveTransform(quad.astype(np.float32), target) for quad in np.asarray(quads)]
    return np.asarray(maps, np.float64).reshape(-1, 3, 3)


def rectify(picture: ImageOrPyramid, quads: NDArray[np.floating], size_px: int) -> NDArray[np.uint8]:
    """Rectify ``quads`` (n, 4, 2), corners nw, ne, se, sw in pixels, to crops uint8 (n, size_px, size_px, 3).

    Pixels outside the picture replicate its border. Tiles much larger than the crop are shrunk by area
    averaging first, to avoid aliasing.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    crops = np.empty((len(quads), size_px, size_px, 3), np.uint8)
    if len(quads) == 0:
        return crops
    sides = mean_sides_px(quads)
    halvings = np.maximum(0, np.floor(np.log2(np.maximum(sides, 1) / size_px))).astype(int)
    for level in np.unique(halvings):
        factor = 2 ** int(level)
        source, quads_here = _shrunk(picture, quads[halvings == level], factor)
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
    picture: ImageOrPyramid, quads: NDArray[np.float64], factor: int
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The picture around ``quads``, shrunk by an integer factor, and the quads in its pixels."""
    if isinstance(picture, Pyramid):
        return picture.shrunk(factor), (quads + 0.5) / factor - 0.5
    if factor == 1:
        return picture, quads
    height, width = picture.shape[:2]
    low = np.clip(np.floor(quads.min(axis=(0, 1)) / factor) - 2, 0, None).astype(int) * factor
    high = np.ceil(quads.max(axis=(0, 1)) / factor).astype(int) * factor + 2 * factor
    part = picture[
        low[1] : max(low[1] + factor, min(high[1], height)),
        low[0] : max(low[0] + factor, min(high[0], width)),
    ]
    if part.size == 0:
        return picture, quads
    return _by_area(part, factor), (quads - low + 0.5) / factor - 0.5


def _by_area(image_bgr: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Shrink a picture by averaging squares of ``factor`` pixels a side; the result has one pixel at
    least."""
    height, width = (max(1, side // factor) for side in image_bgr.shape[:2])
    whole = image_bgr[: height * factor, : width * factor]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
