"""Pieces cover the print from their feet to their tops."""

from __future__ import annotations

import numpy as np

from vision.observation import BoardPose, PieceReading
from vision.pieces.cover import covered_parts

SIDE_PX = 60.0
GRID = 12


def pose() -> BoardPose:
    """Two tiles side by side, seen from straight above, the camera over the middle of the picture."""
    h = np.array([[SIDE_PX, 0, 240.0], [0, SIDE_PX, 170.0], [0, 0, 1.0]])
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    quads = {c: ((square + c) * SIDE_PX + (240, 170)).astype(np.float32) for c in ((0, 0), (1, 0))}
    return BoardPose(h, quads, (600, 400), 1.0)


def standing(x: float, y: float) -> PieceReading:
    return PieceReading("meeple", "red", "standing", (240 + SIDE_PX * x, 170 + SIDE_PX * y), (x, y), 0.9)


def test_a_piece_covers_its_place_and_no_more() -> None:
    masks = covered_parts(pose(), pose().quads, [standing(0.25, 0.75)], GRID)
    assert set(masks) == {(0, 0)}
    assert masks[0, 0][8, 2]
    assert not masks[0, 0][:3].any()
    assert not masks[0, 0][:, 8:].any()


def test_a_piece_on_a_seam_covers_both_tiles() -> None:
    assert set(covered_parts(pose(), pose().quads, [standing(1.0, 0.5)], GRID)) == {(0, 0), (1, 0)}


def test_nothing_covers_nothing() -> None:
    assert covered_parts(pose(), pose().quads, [], GRID) == {}
