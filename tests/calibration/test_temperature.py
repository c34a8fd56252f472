"""The fitted temperature undoes a factor by which readings are too sure, or not sure enough."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.temperature import fit_temperature


@pytest.mark.parametrize("factor", [0.7, 1.0, 2.0])
def test_the_factor_of_overconfidence_is_found(factor: float) -> None:
    rng = np.random.default_rng(3)
    honest = rng.normal(0, 1.5, (4000, 8))
    honest -= np.logaddexp.reduce(honest, axis=1, keepdims=True)
    truth = [int(rng.choice(8, p=np.exp(row))) for row in honest]
    told = factor * honest
    told -= np.logaddexp.reduce(told, axis=1, keepdims=True)
    rows = np.full((4000, 8, 4), -40.0)
    rows[:, :, 0] = told
    assert fit_temperature(rows, truth, range(4000)) == pytest.approx(factor, rel=0.1)


def test_many_readings_of_one_tile_count_once() -> None:
    sure_and_right = np.log([[0.98], [0.02]])
    sure_and_wrong = np.log([[0.02], [0.98]])
    rows = np.stack(
        [np.hstack([row, np.full((2, 3), -40.0)]) for row in [sure_and_wrong] * 50 + [sure_and_right] * 9]
    )
    groups = ["one tile"] * 50 + list(range(9))
    assert fit_temperature(rows, [0] * 59, groups) < fit_temperature(rows, [0] * 59, range(59))
