"""Status of a table's camera: what it sees of the board, and how its picture could be improved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.geometry import Cell
    from web.table.pictures import Framing

Seeing = Literal["starting", "watching", "moving", "unclear", "lost", "ended"]
"""State of the camera's view of the board, see `CameraStatus`."""


@dataclass(frozen=True)
class CameraStatus:
    """Status of the camera.

    ``seeing`` is ``starting`` before the first frame, ``watching`` while the table is at rest, ``moving``
    while hands or the camera move, ``unclear`` if no legal turn explains the board (``message`` says what is
    wrong, ``cells`` where), ``lost`` without a picture or a board in it, and ``ended`` after the last frame.
    ``frame`` counts from 0; ``frames`` is the number of all frames, if known (a recording). ``framing`` says
    how the picture could be improved; None if it is good.
    """

    seeing: Seeing = "starting"
    message: str = ""
    frame: int | None = None
    frames: int | None = None
    cells: tuple[Cell, ...] = ()
    framing: Framing | None = None
