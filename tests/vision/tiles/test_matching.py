"""Comparing tiles with faces, patch by patch."""

from __future__ import annotations

import numpy as np
import pytest

from models import ModelError
from vision.tiles.matching import ScoreValues, match, padded

VALUES = ScoreValues(
    steep=12, threshold=0.4, gain=0.05, penalty_beside=0.05, penalty_diagonal=0.1, tile_slope=4, tile_middle=1
)
GRID, DIM = 12, 32


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    values = rng.standard_normal((*shape, DIM)).astype(np.float32)
    return np.asarray(values / np.linalg.norm(values, axis=-1, keepdims=True))


def test_the_right_face_wins_even_half_hidden() -> None:
    rng = np.random.default_rng(0)
    faces = unit(rng, 40, GRID * GRID)
    tile = faces[7].copy()
    tile[:72] = unit(rng, 72)  # the upper half is something else
    found = match(tile[None], np.full((1, 144), 4.0, np.float32), padded(faces), VALUES)
    assert found.total.shape == (1, 40)
    assert int(found.total[0].argmax()) == 7


def test_one_patch_decides_between_twins() -> None:
    rng = np.random.default_rng(1)
    faces = unit(rng, 4, GRID * GRID)
    faces[3] = faces[2]
    faces[3, 50:53] = unit(rng, 3)
    for wanted in (2, 3):
        found = match(faces[wanted][None], np.full((1, 144), 4.0, np.float32), padded(faces), VALUES)
        assert int(found.total[0].argmax()) == wanted
        others = np.delete(found.total[0], [2, 3])
        assert found.total[0, [2, 3]].min() > others.max()


def noisy(rng: np.random.Generator, faces: np.ndarray, share: float) -> np.ndarray:
    """The same print, seen otherwise in every patch."""
    mixed = faces + share * unit(rng, *faces.shape[:-1])
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True))


def test_a_better_scan_does_not_outvote_the_patches_that_tell_twins_apart() -> None:
    rng = np.random.default_rng(5)
    faces = unit(rng, 4, GRID * GRID)
    faces[3] = faces[2]
    faces[3, 50:54] = unit(rng, 4)
    scans = faces.copy()
    scans[2] = noisy(rng, faces[2], 0.5)  # the other's scan is like the tile in all the print they share
    found = match(faces[2][None], np.full((1, 144), 4.0, np.float32), padded(scans), VALUES)
    assert int(found.total[0].argmax()) == 3
    assert int(found.log_odds[0].argmax()) == 2
    assert found.print_known[0] > 0.99


def test_where_a_piece_hides_the_difference_twins_stay_even() -> None:
    rng = np.random.default_rng(6)
    faces = unit(rng, 4, GRID * GRID)
    faces[3] = faces[2]
    faces[3, 50:54] = unit(rng, 4)
    tile = faces[2].copy()
    tile[38:68] = unit(rng, 30)
    found = match(tile[None], np.full((1, 144), 4.0, np.float32), padded(faces), VALUES)
    assert float(np.ptp(found.log_odds[0, [2, 3]])) < 0.5
    assert found.log_odds[0, :2].max() < -5
    assert found.print_known[0] > 0.99


def test_a_tile_may_lie_one_patch_off() -> None:
    rng = np.random.default_rng(2)
    faces = unit(rng, 30, GRID * GRID)
    moved = np.roll(faces[11].reshape(GRID, GRID, DIM), 1, axis=1).reshape(-1, DIM)
    found = match(moved[None], np.full((1, 144), 4.0, np.float32), padded(faces), VALUES, shortlist=30)
    assert int(found.total[0].argmax()) == 11


def test_hidden_tile_decides_nothing() -> None:
    rng = np.random.default_rng(3)
    faces = unit(rng, 50, GRID * GRID)
    found = match(unit(rng, 1, 144), np.full((1, 144), -9.0, np.float32), padded(faces), VALUES)
    assert float(np.ptp(found.total)) < 0.1
    assert float(found.hidden[0].mean()) > 0.95


def test_missing_values_are_one_clear_line() -> None:
    with pytest.raises(ModelError, match="lacks score values"):
        ScoreValues.of({"score": {"steep": 1}})
    with pytest.raises(ModelError, match="lacks score values"):
        ScoreValues.of({})
