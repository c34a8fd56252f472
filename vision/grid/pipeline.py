"""Pipeline for boards of squares: what `vision.pipeline` is for tiles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.games import game_named
from engine.pack import Pack
from engine.tiles.game import GameError
from models import load
from vision.change.motion import MotionGauge
from vision.grid.occupants import SquareReader, SquaresRead
from vision.grid.parts import FoundParts, PartsFinder, named_as
from vision.observation import CellReading, Frame, Image, Observation
from vision.tiles.gallery import Gallery

LOOK_WIDTH_PX = 480
CHANGED_LEVELS = 9.0
"""Grey levels by which a smoothed pixel must differ for the picture to count as another one."""
WORSE = 0.8
"""A board followed that agrees with its print so much less than before is searched afresh."""


class FixedBoardEye:
    """One table, frame after frame. A picture that shows what the one before showed is not read again."""

    def __init__(self, gallery: Gallery, pack: Pack) -> None:
        self._designs = gallery.designs
        self._finder = PartsFinder(gallery)
        self._squares = SquareReader(pack, self._finder.faces, load("pieces"))
        self._colors = _pawn_colors(pack)
        self._motion = MotionGauge()
        self._found: FoundParts | None = None
        self._read: tuple[NDArray[np.float32], FoundParts, SquaresRead] | None = None

    def observe(self, frame: Frame) -> Observation:
        """All that this frame says about the table."""
        stages: dict[str, float] = {}
        pose = self._found.pose if self._found is not None else None
        with _timed(stages, "motion"):
            motion = self._motion.share_changed(frame.image, pose)
            look = _look(frame.image)
        found, read = self._as_before(look)
        if found is None or read is None:
            with _timed(stages, "locate"):
                found = self._locate(frame.image)
            if found is None:
                return Observation(frame.index, frame.t_s, None, self._designs, {}, (), motion, stages)
            with _timed(stages, "pieces"):
                read = self._squares.read(frame.image, found, self._colors)
            self._found, self._read = found, (look, found, read)
        cells = {cell: _covered(reading, read) for cell, reading in found.cells.items()}
        stages.setdefault("tiles", 0.0)
        return Observation(
            frame.index, frame.t_s, found.pose, self._designs, cells, read.pieces, motion, stages
        )

    def _as_before(self, look: NDArray[np.float32]) -> tuple[FoundParts | None, SquaresRead | None]:
        if self._read is None or self._read[0].shape != look.shape:
            return None, None
        before, found, read = self._read
        if float(np.abs(look - before).max()) > CHANGED_LEVELS:
            return None, None
        return found, read

    def _locate(self, image: Image) -> FoundParts | None:
        """The board where it was, or searched afresh; under the names it had from the first."""
        before = self._found
        if before is None:
            return self._finder.find(image)
        followed = None
        if before.pose.image_size_wh == (image.shape[1], image.shape[0]):
            followed = self._finder.follow(image, before)
        if followed is not None and followed.likeness >= WORSE * before.likeness:
            return followed
        again = self._finder.find(image)
        if again is not None and (followed is None or again.likeness > followed.likeness):
            return named_as(again, before)
        return followed


def _look(image: Image) -> NDArray[np.float32]:
    """A small grey picture that noise does not change, brought to middle brightness."""
    scale = LOOK_WIDTH_PX / image.shape[1]
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32).reshape(small.shape[:2])
    soft = np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.float32)
    return np.asarray(soft * (100.0 / max(float(np.median(soft)), 1.0)), np.float32)


def _covered(reading: CellReading, read: SquaresRead) -> CellReading:
    """The reading of a part with the share of it that nothing known explains."""
    across = len(read.unexplained) // 2
    x, y = reading.cell
    part = read.unexplained[y * across : (y + 1) * across, x * across : (x + 1) * across]
    return replace(reading, covered=float(part.mean()))


def _pawn_colors(pack: Pack) -> tuple[str, ...] | None:
    """The colours of the pawns of the pack's game; None where it has no rules."""
    if pack.game is None:
        return None
    try:
        return game_named(pack.game).colors
    except GameError:
        return None


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    stages[name] = stages.get(name, 0.0) + 1e3 * (time.perf_counter() - began)
