"""Table plane: fits the plane in which all loose tiles of one photograph are squares of one size.

A tile measured by itself has eight degrees of freedom, and a line printed along its rim is easily taken for
its side. Given the common plane and size, only position and rotation are left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.loose.params import PARAMS

F64 = NDArray[np.float64]

LEAST_TILES = 4
"""Minimum number of tiles for which the common plane improves on single measurements."""
ROUNDS = 6
"""Number of Gauss-Newton steps."""
STEP = 1e-4
"""Step of the finite differences of the plane's parameters."""
_SQUARE = np.array([-0.5 - 0.5j, 0.5 - 0.5j, 0.5 + 0.5j, -0.5 + 0.5j])


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """Map from pixels to the table plane, in tile sides.

    ``numbers`` (5,) are the parameters, scaled to about one: the perspective terms to the right and
    downwards, per ``reach`` pixels from ``middle``; then xx, xy, yy of the symmetric matrix from pixels to
    sides at ``middle``, in 1 / ``unit`` pixels.
    """

    middle: F64
    reach: float
    unit: float
    numbers: F64

    def flat(self, pixels: F64) -> NDArray[np.complex128]:
        """Map pixels (..., 2) to the table plane, as complex numbers."""
        off = pixels - self.middle
        weight = 1.0 + off @ (self.numbers[:2] / self.reach)
        xx, xy, yy = self.numbers[2:] / self.unit
        x, y = off[..., 0] / weight, off[..., 1] / weight
        return np.asarray((xx * x + xy * y) + 1j * (xy * x + yy * y))

    def pixels(self, flat: NDArray[np.complex128]) -> F64:
        """Map points of the table plane, ``flat`` as complex numbers in tile sides, to pixels (..., 2)."""
        xx, xy, yy = self.numbers[2:] / self.unit
        back = np.linalg.inv(np.array([[xx, xy], [xy, yy]]))
        off = np.stack([flat.real, flat.imag], axis=-1) @ back.T
        return np.asarray(self.middle + off / (1.0 - off @ (self.numbers[:2] / self.reach))[..., None])

    def moved(self, numbers: F64) -> _Plane:
        """Return a copy with other parameters ``numbers`` (5,)."""
        return _Plane(self.middle, self.reach, self.unit, numbers)


def rigid_squares(quads: F64, sure: F64) -> F64:
    """Replace each quad by the nearest square of the common size in the common plane.

    ``quads`` (n, 4, 2) pixels, clockwise; ``sure`` (n,) 0..1 are their weights in the fit of the plane. Fewer
    than `LEAST_TILES`, or tiles that fit no plane, are returned unchanged.
    """
    if len(quads) < LEAST_TILES:
        return quads
    plane = _plane_of(quads, sure)
    flat = plane.flat(quads)
    sides, misfit = _fitted(flat)
    if np.median(misfit) > PARAMS.least_flat_sides:
        return quads
    size = _usual(np.abs(sides), sure)
    corners = flat.mean(axis=1)[:, None] + (size * sides / np.abs(sides))[:, None] * _SQUARE
    return plane.pixels(corners)


def _fitted(flat: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], F64]:
    """Fit squares to corners (n, 4) in the table plane, given as complex numbers.
    Returns size and rotation (n,) as complex numbers, and the root mean square residuals (n,) in sides."""
    centred = flat - flat.mean(axis=1)[:, None]
    sides = centred @ _SQUARE.conj() / (np.abs(_SQUARE) ** 2).sum()
    off = np.abs(centred - sides[:, None] * _SQUARE)
    return sides, np.asarray(np.sqrt((off**2).mean(axis=1)) / np.maximum(np.abs(sides), 1e-9))


def _usual(sizes: F64, weight: F64) -> float:
    """Return the most common size: the weighted median of the densest half of ``sizes`` (n,)."""
    order = np.argsort(sizes)
    sizes, weight = sizes[order], np.maximum(weight[order], 1e-6)
    half = -(-len(sizes) // 2)
    spans = sizes[half - 1 :] - sizes[: len(sizes) - half + 1]
    at = int(spans.argmin())
    dense, weight = sizes[at : at + half], weight[at : at + half]
    return float(dense[np.searchsorted(np.cumsum(weight), weight.sum() / 2)])


def _plane_of(quads: F64, sure: F64) -> _Plane:
    """Fit the plane to quads (n, 4, 2) with weights ``sure`` (n,), by robust Gauss-Newton steps."""
    middle = quads.mean(axis=(0, 1))
    reach = max(float(np.abs(quads - middle).max()), 1.0)
    unit = float(np.median(np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2)))
    plane = _Plane(middle, reach, unit, np.array([0.0, 0.0, 1.0, 0.0, 1.0]))
    # Prior: perspective within a photograph is limited, and two tiles do not determine it.
    belief = np.diag([1.0, 1.0, 0.01, 0.01, 0.01])
    for _ in range(ROUNDS):
        now = _residuals(plane, quads)
        off = np.sqrt((now.reshape(len(quads), -1) ** 2).mean(axis=1))
        trust = sure / (1.0 + (off / (2.0 * max(float(np.median(off)), 1e-3))) ** 2)
        slopes = np.stack(
            [(_residuals(plane.moved(plane.numbers + STEP * way), quads) - now) / STEP for way in np.eye(5)],
            axis=-1,
        )
        weight = np.sqrt(np.repeat(trust, now.shape[1])) / PARAMS.off_plane_sides
        rows, values = slopes.reshape(-1, 5) * weight[:, None], now.reshape(-1) * weight
        pull = belief @ (plane.numbers - np.array([0.0, 0.0, 1.0, 0.0, 1.0]))
        step = np.linalg.solve(rows.T @ rows + belief, rows.T @ values + pull)
        plane = plane.moved(plane.numbers - np.clip(step, -0.25, 0.25))
    return plane


def _residuals(plane: _Plane, quads: F64) -> F64:
    """Return residuals (n, 9) of ``quads`` in the table plane, in sides.
    They are those of the corners against the fitted squares (8), and of the size against one side."""
    flat = plane.flat(quads)
    sides, _ = _fitted(flat)
    off = flat - flat.mean(axis=1)[:, None] - sides[:, None] * _SQUARE
    return np.concatenate([off.real, off.imag, (np.abs(sides) - 1.0)[:, None]], axis=1)
