"""Maps between planes."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.homography import UNIT_SQUARE, apply_homography, homography, square_to_quads

QUADS = np.array(
    [
        [[10.0, 20.0], [110.0, 25.0], [120.0, 130.0], [5.0, 110.0]],
        [[0.0, 0.0], [8.0, 0.0], [9.0, 9.0], [0.0, 8.0]],
    ]
)


def test_the_unit_square_is_taken_to_each_quad_by_its_own_homography() -> None:
    maps = square_to_quads(QUADS)
    squares = np.repeat(UNIT_SQUARE[None], len(QUADS), axis=0)
    assert apply_homography(maps, squares) == pytest.approx(QUADS)
    for H, quad in zip(maps, QUADS, strict=True):
        assert apply_homography(H, UNIT_SQUARE) == pytest.approx(quad)
        assert apply_homography(H, UNIT_SQUARE[2]) == pytest.approx(quad[2])
        assert homography(UNIT_SQUARE, quad) == pytest.approx(H)


def test_points_on_a_line_fix_no_homography() -> None:
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(ValueError, match="do not fix"):
        homography(line, line)
