"""Close-up: reads one tile that is held up to the camera."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models import OnnxModel
from vision.geometry.homography import SQUARE
from vision.observation import Sight
from vision.tiles.face_classifier import moved_quads, to_readings
from vision.tiles.gallery import Gallery
from vision.tiles.matching import F32, Match, ScoreValues, match
from vision.tiles.params import PARAMS

WORK_PX = 400
"""Longer side, in pixels, of the picture in which outlines are searched."""
KEPT = 3
"""Number of best candidates that are refined."""


@dataclass(frozen=True, slots=True, eq=False)
class Closeup:
    """The tile of a close-up.

    ``rot``: clockwise quarter turns from the pack's drawing, relative to the picture's up.
    ``log_probs`` float32 [designs, 4].
    """

    design: str
    rot: int
    log_probs: F32

    @property
    def confidence(self) -> float:
        """Probability of the named face and rotation."""
        return float(np.exp(self.log_probs.max()))


def read_closeup(sight: Sight, gallery: Gallery, model: OnnxModel) -> Closeup:
    """Find and read the tile of a close-up. Always returns a reading; check its ``confidence``.
    ``model`` is the network of descriptors."""
    values = ScoreValues.of(model.meta)
    quads = candidate_quads(sight)
    matched = _matched(sight, quads, gallery, model, values)
    rng = np.random.default_rng(0)  # deterministic
    best = np.argsort(-matched.total.max(axis=1))[:KEPT]
    for spread, tries in PARAMS.closeup_rounds:
        tried = np.concatenate(
            [quads[best], *[moved_quads(rng, quad, spread, tries) for quad in quads[best]]]
        )
        matched, quads = _matched(sight, tried, gallery, model, values), tried
        best = np.argsort(-matched.total.max(axis=1))[:1]
    seen = to_readings(matched.rows(best), gallery, values)
    design, rot = np.unravel_index(int(seen.log_probs[0].argmax()), seen.log_probs[0].shape)
    return Closeup(
        design=gallery.designs[int(design)],
        rot=int(rot),
        log_probs=seen.log_probs[0],
    )


def candidate_quads(sight: Sight) -> NDArray[np.float64]:
    """Return candidate quads of the tile: float64 [n, 4, 2] image pixels, upper left corner first.

    These are contours at several thresholds, and the picture's frame with several margins.
    """
    width, height = sight.size_wh
    scale = min(1.0, WORK_PX / max(height, width))
    size_wh = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(cv2.resize(sight.image, size_wh, interpolation=cv2.INTER_AREA), np.uint8)
    quads = []
    for margin in (0.0, 0.015, 0.03, 0.05, 0.08, 0.12, 0.18):
        inset = np.array([width, height]) * margin
        quads.append(SQUARE * (np.array([width, height]) - 2 * inset) + inset - 0.5)
        side = min(width, height) * (1 - 2 * margin)
        quads.append(SQUARE * side + (np.array([width, height]) - side) / 2 - 0.5)
    quads += [_upright(outline / scale) for outline in _outlines(small)]
    return np.array(quads, np.float64)


def _outlines(small: NDArray[np.uint8]) -> list[NDArray[np.float64]]:
    """Return at most 24 quads (4, 2) of contours in a small picture that may be the tile."""
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)
    border = np.concatenate([lab[0], lab[-1], lab[:, 0], lab[:, -1]]).astype(np.float32)
    away = np.linalg.norm(lab.astype(np.float32) - np.median(border, axis=0), axis=2)
    masks = [(away > level).astype(np.uint8) for level in (12, 25, 45)]
    masks += [
        np.asarray(cv2.dilate(cv2.Canny(lab[..., c], 40, 120), np.ones((3, 3), np.uint8)), np.uint8)
        for c in range(3)
    ]
    found: list[NDArray[np.float64]] = []
    for mask in masks:
        closed = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8)), np.uint8)
        contours, _ = cv2.findContours(closed, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            if cv2.contourArea(contour) < PARAMS.closeup_area * mask.size:
                continue
            hull = cv2.convexHull(contour)
            found.append(np.asarray(cv2.boxPoints(cv2.minAreaRect(hull)), np.float64).reshape(4, 2))
            shape = cv2.approxPolyDP(hull, 0.04 * cv2.arcLength(hull, True), True)
            if len(shape) == 4:
                found.append(np.asarray(shape, np.float64).reshape(4, 2))
    return [quad for quad in found if _squarish(quad)][:24]


def _squarish(quad: NDArray[np.float64]) -> bool:
    """Whether the shortest side of a quad exceeds half of the longest."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    return bool(sides.min() > 0.5 * sides.max() > 0)


def _upright(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reorder the corners (4, 2) clockwise from the one nearest the upper left."""
    centre = quad.mean(axis=0)
    angle = np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0])
    ring = quad[np.argsort(angle)]  # y grows downwards, so growing angles go clockwise
    return np.roll(ring, -int(ring.sum(axis=1).argmin()), axis=0)


def _matched(
    sight: Sight,
    quads: NDArray[np.float64],
    gallery: Gallery,
    model: OnnxModel,
    values: ScoreValues,
) -> Match:
    """Return the match of the crops at ``quads`` (n, 4, 2) with the gallery."""
    crops = sight.crops(quads, int(model.meta["crop_px"]))
    descriptors, visible = model(crops)
    return match(descriptors, visible, gallery.references, values)
