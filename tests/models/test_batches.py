"""Batches: run in parts, by several threads, with the answers of one go."""

from __future__ import annotations

import numpy as np

from models import load
from models.loader import PART
from models.threads import threads, use_threads


def test_a_long_batch_is_answered_as_its_items_are() -> None:
    model = load("cells")
    shape = (threads() * PART + 3, *(side or 1 for side in model.inputs[0].shape[1:]))
    cells = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
    (chances,) = model(cells)
    assert chances.shape[0] == len(cells)
    one_by_one = [model(cell[None])[0][0] for cell in cells]
    np.testing.assert_allclose(chances, one_by_one, rtol=1e-5)
    assert len(set(np.round(chances, 6).tolist())) > 1


def test_a_batch_may_be_empty() -> None:
    model = load("cells")
    (chances,) = model(np.zeros((0, *(side or 1 for side in model.inputs[0].shape[1:])), np.uint8))
    assert chances.shape[0] == 0


def test_a_process_with_one_core_sees_in_one_thread() -> None:
    before = threads()
    use_threads(1)
    try:
        assert load("cells").threads == 1
    finally:
        use_threads(before)
    assert load("cells").threads == before
