"""The main path of seeing: a Frame goes in, an Observation comes out.

A photo, a recorded session, a camera and the benchmarks all run `Pipeline.observe`; a stage's time
is taken by the wrapper around it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from engine.geometry import Cell
from models import OnnxModel, load
from vision.gallery import Gallery
from vision.locate import Locator, locate
from vision.memory import CellMemory
from vision.motion import MotionGauge
from vision.observation import BoardPose, CellReading, Frame, Observation
from vision.pieces import read_pieces


class Pipeline:
    """Sees one table, frame after frame. Without a gallery the tiles are only located.

    It remembers the last pose and how each cell looked, so that a camera at rest costs little, and
    nothing else: what the frames mean together is the turn inference's business.
    """

    def __init__(self, gallery: Gallery | None, descriptor: OnnxModel | None = None) -> None:
        self._gallery = gallery
        self._locator = Locator.load()
        self._pieces = load("pieces")
        self._descriptor = descriptor if descriptor is not None or gallery is None else load("descriptor")
        self._motion = MotionGauge()
        self._memory = CellMemory()
        self._pose: BoardPose | None = None

    def observe(self, frame: Frame) -> Observation:
        """All that this frame says about the table."""
        stages: dict[str, float] = {}
        with _timed(stages, "motion"):
            motion = self._motion.share_changed(frame.image, self._pose)
        with _timed(stages, "locate"):
            pose = locate(frame.image, self._locator, self._gallery, prior=self._pose)
        self._pose = pose or self._pose
        designs = self._gallery.designs if self._gallery is not None else ()
        if pose is None:
            return Observation(frame.index, frame.t_s, None, designs, {}, (), motion, stages)
        cells: dict[Cell, CellReading] = {}
        if self._gallery is not None and self._descriptor is not None:
            with _timed(stages, "tiles"):
                cells = self._memory.read(frame.image, pose, self._gallery, self._descriptor)
        with _timed(stages, "pieces"):
            pieces = read_pieces(frame.image, pose, self._pieces)
        return Observation(frame.index, frame.t_s, pose, designs, cells, pieces, motion, stages)


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    stages[name] = 1e3 * (time.perf_counter() - began)
