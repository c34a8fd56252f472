"""Face check: verifies the faces of tiles after the pieces are known.

A piece may cover the only difference between two faces, or look like it. So near-identical faces are compared
again by their uncovered parts, and all likely faces by their colours (`vision.tiles.face_colors`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import OnnxModel
from vision.observation import CellReading, Sight
from vision.tiles.face_classifier import read_uncovered
from vision.tiles.face_colors import checked_by_color
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS

Readings: TypeAlias = Mapping[Cell, CellReading]
Masks: TypeAlias = Mapping[Cell, NDArray[np.bool_]]


class FaceCheck:
    """Checks one table's tiles frame by frame; unchanged readings are not checked again."""

    def __init__(self, gallery: Gallery, descriptor: OnnxModel) -> None:
        self._gallery = gallery
        self._descriptor = descriptor
        self._last: tuple[Readings, Masks, Readings] = {}, {}, {}

    def checked(self, sight: Sight, readings: Readings, covered: Masks) -> Readings:
        """Update the readings' ``log_probs``; ``covered`` are masks (BLOCKS, BLOCKS) of the parts of tiles
        that pieces cover."""
        before, masks, checked = self._last
        if not (_same(readings, before) and _equal(covered, masks)):
            rivals = {c: m for c, m in covered.items() if c in readings and _has_rival(readings[c])}
            apart = read_uncovered(sight, readings, rivals, self._gallery, self._descriptor)
            checked = checked_by_color(sight, {**readings, **apart}, covered, self._gallery)
            self._last = readings, covered, checked
        return checked


def _has_rival(reading: CellReading) -> bool:
    """Whether a tile has a second face of similar probability, so that a covered detail may decide."""
    second, best = np.sort(reading.log_probs, axis=None)[-2:]
    return reading.log_tile > 0 and float(best - second) < PARAMS.color_checked_nats


def _same(readings: Readings, others: Readings) -> bool:
    """Whether the readings are identical objects."""
    return readings.keys() == others.keys() and all(r is others[cell] for cell, r in readings.items())


def _equal(masks: Masks, others: Masks) -> bool:
    """Whether two mappings have equal masks for the same cells."""
    return masks.keys() == others.keys() and all((m == others[cell]).all() for cell, m in masks.items())
