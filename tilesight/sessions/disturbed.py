"""Disturbed sessions: pictures doubled, missing, or nudged, as from a worse camera.

The events on the table stay the same, so the same turns and scores must result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from tilesight.sessions.session import FrameFile, Session
from tilesight.sessions.squares_session import SquareSession
from vision.observation import Frame

NUDGE_DEG = 3.0
"""Angle in degrees by which the camera is turned from the middle picture on."""
USUAL_VIEW_DEG = 65.0
"""Horizontal angle of view in degrees of a camera of which nothing is known."""
PHOTO_TRUTH = "truth.json"
"""Name of the file beside pictures that says how they were taken."""

Matrix = NDArray[np.float64]
SessionT = TypeVar("SessionT", bound=Session | SquareSession)


class Disturbance(Protocol):
    """Function that returns the same session with other pictures."""

    def __call__(self, session: SessionT, /) -> SessionT: ...


def plain(session: SessionT) -> SessionT:
    """Return the session as recorded."""
    return session


def doubled(session: SessionT) -> SessionT:
    """Return the session with every picture twice, the second one at the time halfway to the next picture."""
    files: list[FrameFile] = []
    later_s = [file.t_s for file in session.frames[1:]] + [session.frames[-1].t_s + 0.5]
    for file, next_s in zip(session.frames, later_s, strict=True):
        files += [file, replace(file, t_s=(file.t_s + next_s) / 2)]
    return _renumbered(session, files)


def every_third_missing(session: SessionT) -> SessionT:
    """Return the session without every third picture; the others are numbered anew."""
    return _renumbered(session, [file for file in session.frames if file.index % 3 != 2])


def nudged(session: SessionT) -> SessionT:
    """Return the session with the camera turned by `NUDGE_DEG` from the middle picture on.

    It turns about its vertical axis: the pictures are warped by the homography K·R·K⁻¹ when they are read.
    """
    middle = len(session.frames) // 2
    camera = camera_matrix(session)
    files = [file if file.index < middle else _Turned.of(file, camera) for file in session.frames]
    return replace(session, frames=tuple(files))


DISTURBANCES: Mapping[str, Disturbance] = MappingProxyType(
    {
        "plain": plain,
        "doubled": doubled,
        "missing": every_third_missing,
        "nudged": nudged,
    }
)


@dataclass(frozen=True, slots=True)
class _Turned(FrameFile):
    """A picture as a turned camera would have taken it; ``camera`` is the rows of its K (3 × 3)."""

    camera: tuple[tuple[float, ...], ...] = ()

    @staticmethod
    def of(file: FrameFile, camera: Matrix) -> _Turned:
        return _Turned(file.path, file.t_s, file.index, tuple(map(tuple, camera.tolist())))

    def read(self) -> Frame:
        frame = FrameFile.read(self)
        height, width = frame.image.shape[:2]
        warped = cv2.warpPerspective(frame.image, sideways(np.array(self.camera)), (width, height))
        return replace(frame, image=np.asarray(warped, np.uint8))


def sideways(camera: Matrix) -> Matrix:
    """Return the homography K·R·K⁻¹ (3 × 3, pixels to pixels) of a camera turned by `NUDGE_DEG`.

    ``camera`` is K (3 × 3, pixels); it turns about its vertical axis.
    """
    c, s = math.cos(math.radians(NUDGE_DEG)), math.sin(math.radians(NUDGE_DEG))
    turned = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return np.asarray(camera @ turned @ np.linalg.inv(camera))


def camera_matrix(session: Session | SquareSession) -> Matrix:
    """Return the camera's K (3 × 3, pixels), from the session's ``truth.json`` if it has one.

    Otherwise that of a typical camera for the size of the first picture.
    """
    told = session.folder / PHOTO_TRUTH
    if told.is_file():
        return np.array(json.loads(told.read_text("utf-8"))[0]["K"], dtype=np.float64)
    height, width = session.frames[0].read().image.shape[:2]
    focal_px = width / 2 / math.tan(math.radians(USUAL_VIEW_DEG / 2))
    return np.array([[focal_px, 0, (width - 1) / 2], [0, focal_px, (height - 1) / 2], [0, 0, 1.0]])


def _renumbered(session: SessionT, files: list[FrameFile]) -> SessionT:
    return replace(session, frames=tuple(replace(file, index=i) for i, file in enumerate(files)))
