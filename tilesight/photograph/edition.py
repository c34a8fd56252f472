"""Edition of a photographed board: whether its tiles are of the faces that somebody named.

Outlines know no art. Where they make a board of many tiles of which the gallery knows hardly one, another
edition lies on the table, and names that fit here and there by chance are not told.
"""

from __future__ import annotations

from vision.board import SolvedBoard, see_board
from vision.image.camera_profile import Camera
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.params import PARAMS

FEWEST = 6
"""Tiles that an outlined board has at least, to say that the gallery does not know them."""
KNOWN = 0.25
"""Share of the outlined tiles that are named for sure, under which the board is of another edition."""


def other_edition(frame: Frame, camera: Camera, board: SolvedBoard) -> SolvedBoard | None:
    """The board by its outlines alone, where its tiles are of another edition than it was read with; None
    where they seem to be of that."""
    named = sum(t.face is not None and t.confidence >= PARAMS.believed_face for t in board.tiles)
    if named >= FEWEST and named >= KNOWN * len(board.tiles):
        return None
    located = camera.through(Pipeline(None).observe)(frame)
    outlined = len(located.pose.quads) if located.pose is not None else 0
    if outlined < FEWEST or named >= KNOWN * outlined:
        return None
    return see_board(located, None)
