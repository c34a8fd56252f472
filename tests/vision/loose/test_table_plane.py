"""Squares of one size: the common plane corrects the corner errors of single tiles."""

from __future__ import annotations

import numpy as np

from vision.geometry.homography import apply_homography
from vision.loose.table_plane import rigid_squares


def seen(seed: int, count: int = 12) -> np.ndarray:
    """Corners (n, 4, 2) of tiles of one size on a slanted table, turned any way."""
    rng = np.random.default_rng(seed)
    at = 1.4 * np.stack([np.arange(count) % 4, np.arange(count) // 4], axis=1)
    angles = rng.uniform(0, 2 * np.pi, count)
    unit = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    spin = np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]])
    flat = at[:, None] + np.einsum("ijn,kj->nki", spin, unit)
    H = np.array([[110.0, 12.0, 90.0], [-9.0, 96.0, 120.0], [2e-2, 4e-2, 1.0]])
    return np.asarray(apply_homography(H, flat.reshape(-1, 2)).reshape(-1, 4, 2), np.float64)


def error(quads: np.ndarray, truth: np.ndarray) -> np.ndarray:
    side = np.linalg.norm(truth - np.roll(truth, -1, axis=1), axis=2).mean(axis=1)
    return np.asarray(np.linalg.norm(quads - truth, axis=2).mean(axis=1) / side)


def test_a_printed_frame_taken_for_a_side_is_set_right_by_the_others() -> None:
    truth = seen(3)
    rng = np.random.default_rng(4)
    measured = truth + rng.normal(0, 0.4, truth.shape)
    measured[2] = truth[2].mean(axis=0) + 0.9 * (truth[2] - truth[2].mean(axis=0))  # a frame inside
    squares = rigid_squares(measured, np.ones(len(truth)))
    assert error(measured, truth)[2] > 0.06
    assert error(squares, truth).max() < 0.012


def test_squares_that_agree_on_no_plane_stay_as_they_were_measured() -> None:
    few = seen(5)[:3]
    assert rigid_squares(few, np.ones(3)) is few
    wild = seen(6) + np.random.default_rng(7).normal(0, 25, (12, 4, 2))
    assert np.array_equal(rigid_squares(wild, np.ones(12)), wild)
