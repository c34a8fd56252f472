"""Names chosen together: how many of each a set has decides between twins, and says how sure that is."""

from __future__ import annotations

import numpy as np

from calibration.set_names import set_names

COUNTS = np.array([2, 1, 3])
"""Designs 0 and 1 are twins."""


def fits(rows: list[tuple[float, float, float]]) -> np.ndarray:
    return np.array(rows)


def test_a_twin_of_which_the_set_has_no_more_is_the_other() -> None:
    faces = fits([(0, -4, -30), (0, -3, -30), (-30, -30, 0)])
    told = set_names(faces, np.array([2, 1, 3]), COUNTS)
    assert told.design.tolist() == [0, 1, 2]
    assert told.margin.min() > 4
    # With tiles to spare nothing but the fit decides, and that says little.
    told = set_names(faces[1:2], np.array([1]), COUNTS)
    assert told.design.tolist() == [0]
    assert 2.9 < told.margin[0] < 3.1


def test_room_is_made_by_a_chain_of_faces() -> None:
    """Each face fits the design before its own a little better, and the first place is taken."""
    faces = fits([(0, -20, -20), (0, -2, -20), (-20, 0, -3)])
    told = set_names(faces, np.array([1, 1, 1]), np.array([1, 1, 1]))
    assert told.design.tolist() == [0, 1, 2]


def test_two_sets_have_twice_as_many() -> None:
    faces = fits([(0, -4, -30), (-4, 0, -30), (-30, -30, 0)])
    told = set_names(faces, np.array([4, 2, 6]), COUNTS)
    assert told.design.tolist() == [0, 1, 2]
    assert told.margin.min() > 4
    nothing = set_names(np.zeros((0, 3)), np.zeros(0, np.int64), COUNTS)
    assert len(nothing.design) == 0
