"""The lattice: fits and lens term."""

from __future__ import annotations

import numpy as np
import pytest

from vision.geometry.homography import UNIT_SQUARE, homography
from vision.geometry.lattice import Lattice, _unbent_equations, cell_corners

SIZE_WH = (1920, 1080)
CENTRE = np.array([960.0, 540.0])
RADIUS_PX = float(np.linalg.norm(CENTRE))
H_TILTED = np.array([[88.0, -21.0, 700.0], [17.0, 70.0, 300.0], [1e-4, 9e-3, 1.0]])


def a_lattice(k1: float = 0.0) -> Lattice:
    return Lattice(H_TILTED, CENTRE, RADIUS_PX, k1)


def cells_of(columns: int, rows: int) -> list[tuple[int, int]]:
    return [(x, y) for y in range(rows) for x in range(columns)]


def test_homography_needs_four_points_in_general_position() -> None:
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(ValueError, match="do not fix"):
        homography(line, line)


@pytest.mark.parametrize("k1", [0.0, -0.12, 0.06])
def test_project_and_unproject_are_inverse(k1: float) -> None:
    points = np.random.default_rng(1).uniform(-1, 7, (50, 2))
    lattice = a_lattice(k1)
    assert lattice.unproject(lattice.project(points)) == pytest.approx(points, abs=1e-4)


def test_fit_finds_perspective_and_lens_under_disorder_and_outliers() -> None:
    rng = np.random.default_rng(2)
    cells = cells_of(8, 6)
    ideal = cell_corners(cells)
    pixels = a_lattice(-0.1).project(ideal) + rng.normal(0, 0.5, (len(ideal), 2))
    pixels[:8] += 30.0
    fitted = Lattice.fit(ideal, pixels, SIZE_WH)
    error = np.linalg.norm(fitted.project(ideal) - a_lattice(-0.1).project(ideal), axis=1)
    assert fitted.k1 == pytest.approx(-0.1, abs=0.04)
    assert np.median(error) < 1.0


def test_a_lattice_needs_four_points() -> None:
    with pytest.raises(ValueError, match="four points"):
        Lattice.fit(UNIT_SQUARE[:3], UNIT_SQUARE[:3], SIZE_WH)


def test_moved_renames_cells_and_nothing_else() -> None:
    turn, shift = np.array([[0, -1], [1, 0]]), np.array([2, -3])
    before, after = a_lattice(), a_lattice().moved(turn, shift)
    points = np.array([[0.3, 0.7], [4.0, 1.5]])
    assert after.project(points @ turn.T + shift) == pytest.approx(before.project(points), abs=1e-6)


def test_the_equations_of_an_unbent_lattice_are_its_slopes_multiplied_out() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(-1, 6, (30, 2))
    pixels = a_lattice().project(points) + rng.normal(0, 2, (30, 2))
    weights = rng.uniform(0.1, 1, 30)
    now, by_lattice, _ = a_lattice().slopes(points)
    jacobian = by_lattice[:, :, :8].reshape(-1, 8)
    weighted = jacobian * np.repeat(weights, 2)[:, None]
    normal, right = _unbent_equations(H_TILTED, points, pixels, weights)
    assert normal == pytest.approx(jacobian.T @ weighted, rel=1e-9)
    assert right == pytest.approx(weighted.T @ (pixels - now).ravel(), rel=1e-7, abs=1e-6)
