"""Mapping of an observation to the picture as taken, and mirroring of pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.observation import CellReading, Frame, Image, Observation, PieceReading, Quad, size_of

F64 = NDArray[np.float64]
Observe = Callable[[Frame], Observation]
"""Observes a frame, as `Pipeline.observe` does."""


def mapped(observation: Observation, to_px: Callable[[F64], F64]) -> Observation:
    """Map an observation's corners and points by ``to_px`` (..., 2); unchanged if it has no pose.
    The lattice's homography stays."""

    def quad(corners_px: Quad) -> Quad:
        return np.asarray(to_px(np.asarray(corners_px, np.float64)), np.float32)

    def cell(reading: CellReading) -> CellReading:
        return replace(reading, corners_px=quad(reading.corners_px))

    def piece(reading: PieceReading) -> PieceReading:
        x, y = to_px(np.array(reading.point_px))
        return replace(reading, point_px=(float(x), float(y)))

    pose = observation.pose
    if pose is None:
        return observation
    return replace(
        observation,
        pose=replace(pose, quads={at: quad(corners) for at, corners in pose.quads.items()}),
        cells={at: cell(reading) for at, reading in observation.cells.items()},
        pieces=tuple(piece(reading) for reading in observation.pieces),
        hints=tuple(piece(reading) for reading in observation.hints),
    )


def flipped(image: Image) -> Image:
    """Return the mirror image of a picture, left and right exchanged."""
    return np.ascontiguousarray(image[:, ::-1])


def through_mirror(observe: Observe) -> Observe:
    """Wrap ``observe`` so that it reads mirror images: it gets them flipped, and its observations are mapped
    back. The corners of a tile then run counter-clockwise in the picture."""

    def observe_mirrored(frame: Frame) -> Observation:
        """Flip, observe, and map the observation back."""
        last = size_of(frame.image)[0] - 1
        back = np.array([[-1.0, 0.0, last], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        seen = mapped(
            observe(replace(frame, image=flipped(frame.image))),
            lambda points: points * np.array([-1.0, 1.0]) + np.array([last, 0.0]),
        )
        if seen.pose is None:
            return seen
        return replace(seen, pose=replace(seen.pose, H_px_from_lattice=back @ seen.pose.H_px_from_lattice))

    return observe_mirrored
