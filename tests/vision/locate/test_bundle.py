"""The plane from the tiles' own shape: hands that shear a board do not bend it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import UNIT_SQUARE
from vision.geometry.lattice import Lattice, cell_corners
from vision.geometry.rigid import plane_of, rigid_quads
from vision.locate.bundle import levelled
from vision.observation import Quad

SIZE_WH = (1920, 1080)
CAMERA = Lattice(
    np.array([[80.0, 10.0, 700.0], [-8.0, 70.0, 400.0], [0.01, 0.03, 1.0]]), np.array([960.0, 540.0]), 1101.0
)
CELLS: list[Cell] = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 1), (4, 1), (4, 2), (1, -1), (1, -2)]


def laid(rng: np.random.Generator, noise_px: float, shear: float = 0.0) -> dict[Cell, Quad]:
    """Square tiles 0.97 of a step wide, whose rows were pushed along."""
    quads = {}
    for x, y in CELLS:
        turn = rng.normal(0, 0.01)
        rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        middle = np.array([x + 0.5 + shear * y, y + 0.5]) + rng.normal(0, 0.004, 2)
        corners = CAMERA.project((UNIT_SQUARE - 0.5) * 0.97 @ rotate.T + middle)
        quads[x, y] = (corners + rng.normal(0, noise_px, (4, 2))).astype(np.float32)
    return quads


def worst(true: dict[Cell, Quad], lattice: Lattice, seen: dict[Cell, Quad]) -> float:
    """The farthest corner of the rigid squares, in pixels."""
    found = rigid_quads(lattice, seen)
    return max(float(np.linalg.norm(found[cell] - quad, axis=1).max()) for cell, quad in true.items())


def test_sheared_rows_stay_squares() -> None:
    for seed in range(4):
        true = laid(np.random.default_rng(seed), 0.0, shear=0.03)
        rng = np.random.default_rng([seed, 1])
        seen = {c: (q + rng.normal(0, 0.3, (4, 2))).astype(np.float32) for c, q in true.items()}
        plain = plane_of(seen, SIZE_WH)
        assert plain is not None
        assert worst(true, levelled(plain, seen), seen) < 0.75 * worst(true, plain, seen)


def test_one_wrong_tile_bends_nothing() -> None:
    true = laid(np.random.default_rng(3), 0.0)
    seen = dict(true)
    seen[CELLS[4]] = true[CELLS[4]] + np.array([[0, 0], [9, 0], [9, 9], [0, -9]], np.float32)
    bent = levelled(CAMERA, seen)
    others = {cell: quad for cell, quad in true.items() if cell != CELLS[4]}
    assert worst(others, bent, others) < 1.0


def test_slopes_are_the_derivatives() -> None:
    lattice = Lattice(CAMERA.H, CAMERA.centre_px, CAMERA.radius_px, -0.1)
    points = cell_corners(CELLS)
    pixels, by_lattice, by_point = lattice.slopes(points)
    assert np.allclose(pixels, lattice.project(points))
    eps = 1e-6

    def changed(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        H = np.append(numbers[:8], 1.0).reshape(3, 3)
        return Lattice(H, lattice.centre_px, lattice.radius_px, float(numbers[8])).project(points)

    numbers = np.append(lattice.H.ravel()[:8], lattice.k1)
    for index in range(9):
        slope = (changed(numbers + eps * np.eye(9)[index]) - pixels) / eps
        assert np.allclose(slope, by_lattice[..., index], rtol=1e-3, atol=0.05)
    for index in range(2):
        slope = (lattice.project(points + eps * np.eye(2)[index]) - pixels) / eps
        assert np.allclose(slope, by_point[..., index], rtol=1e-4, atol=1e-3)
