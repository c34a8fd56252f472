"""Twin decks: tiles of another print than the gallery's scans, some of a face that it lacks."""

from __future__ import annotations

import numpy as np

from models import load
from models.train.descriptor.twins import log_probs_of, twin_exam


def test_a_twin_exam_has_twins_and_foreign_tiles_and_is_read() -> None:
    exam = twin_exam([5, 1], n_faces=6, n_foreign=2, n_queries=12)
    assert exam.faces.shape[0] == 6
    assert exam.crops.shape == (12, 96, 96, 3)
    assert set(np.unique(exam.answer[:, 0])) <= set(range(-1, 6))
    again = twin_exam([5, 1], n_faces=6, n_foreign=2, n_queries=12)
    assert np.array_equal(exam.crops, again.crops)
    assert log_probs_of(exam, load("descriptor", threads=1)).shape == (12, 6, 4)
