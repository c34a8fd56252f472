"""The judge of boards found in synthetic scenes counts correctly."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.locator.judge import Tally, drifting_scene, found_alone, unknown_scene


def test_the_truth_itself_is_right_and_what_is_off_is_told() -> None:
    scene, _ = unknown_scene(7_000_002)
    quads = {tile.cell: np.asarray(tile.corners_px, np.float32) for tile in scene.tiles}
    exact, shifted = Tally(), Tally()
    exact.add(scene, quads, 0.6)
    assert exact.tiles > 0
    assert (exact.missed, exact.extra, exact.right, exact.close[0.03]) == (0, 0, 1, 1)
    assert max(exact.corners) == pytest.approx(0.0, abs=1e-5)
    first = next(iter(quads))
    shifted.add(scene, {cell: quad + 1e4 if cell == first else quad for cell, quad in quads.items()}, 0.6)
    assert shifted.extra == 1
    assert shifted.right == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", [9_100_036, 9_100_002])
def test_a_board_that_drifts_and_is_small_in_the_picture_is_found(seed: int) -> None:
    # Found 2 and 42 of 41 and 47 tiles before the frame was looked at closely, faces known all around.
    scene, _ = drifting_scene(seed)
    tally = Tally()
    tally.add(scene, found_alone(scene.image, None), visible=0.6)
    assert (tally.missed <= 1, tally.extra) == (True, 0)
