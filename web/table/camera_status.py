"""Camera status: what the camera sees of the board now, and how its picture could be read better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.geometry import Cell
    from web.table.pictures import Framing

Seeing = Literal["starting", "watching", "moving", "unclear", "lost", "ended"]
"""Visibility of the board (`CameraStatus`); "moving": hands at the table, or a camera that is nudged."""


@dataclass(frozen=True)
class CameraStatus:
    """The camera's status now.

    ``seeing``: ``starting`` before the first frame, ``watching`` a table at rest, ``moving`` (hands, motion:
    waited out), ``unclear`` (at rest, but no legal turn explains it: ``message`` says what, ``cells`` where),
    ``lost`` (no picture or no board), ``ended`` (no more frames).  ``frame`` counts from 0; ``frames`` is
    their number where it is known (a recorded session). ``framing`` says how the pictures could be read
    better; None where nothing is to be done.
    """

    seeing: Seeing = "starting"
    message: str = ""
    frame: int | None = None
    frames: int | None = None
    cells: tuple[Cell, ...] = ()
    framing: Framing | None = None
