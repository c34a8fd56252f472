"""Tile shape: the common size and perspective foreshortening of all loose tiles of one photograph.

Without a lattice, the shape separates tiles from parts of tiles and from gaps between them, and predicts a
tile's image anywhere in the photograph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.loose.params import PARAMS

F64 = NDArray[np.float64]

LEAST_CHANCE = 0.5
"""Probability from which a square is likelier one laid tile than not."""
FEW = 4
"""Minimum number of squares of probability `shape_chance` for a fit to these alone."""
GROWTHS = 8
"""Number of rounds in which the shape is refitted to all tiles that agree with it."""
FIRST_CORNER = -0.75 * np.pi
"""Angle, in radians, from a square's centre to its first corner."""


@dataclass(frozen=True, slots=True, eq=False)
class TileShape:
    """Size and foreshortening of a tile's image anywhere in the photograph, independent of its rotation.

    A square's spread, the sum of its sides' outer products, is invariant under rotation in its plane.
    ``slope`` (3, 3) maps (1, x, y) to xx, xy, yy of the spread's matrix root, which is linear because lengths
    grow linearly towards the camera.
    """

    slope: F64

    @classmethod
    def agreed(cls, quads: F64, chance: F64) -> TileShape | None:
        """Fit the shape on which the likeliest quads agree; None if none is likely.
        ``quads`` (n, 4, 2) px have probabilities ``chance`` (n,)."""
        sure = PARAMS.shape_chance
        likely = chance >= (sure if (chance >= sure).sum() >= FEW else LEAST_CHANCE)
        if not likely.any():
            return None
        at, spread = quads[likely].mean(axis=1), spread_of(quads[likely])
        weight = (chance[likely] - 0.8 * LEAST_CHANCE) ** 2 / _crowd(at, spread)
        best, most = np.zeros(len(weight), bool), -1.0
        for index in np.argsort(-chance[likely])[:80]:
            near = _strangeness(spread, np.broadcast_to(spread[index], spread.shape)) < PARAMS.roughly
            if float(weight[near].sum()) > most:
                best, most = near, float(weight[near].sum())
        shape = cls._fitted(at[best], spread[best], weight[best])
        for _ in range(GROWTHS):
            near = _strangeness(spread, shape.spread(at)) < PARAMS.closely
            if not near.any():
                return shape
            shape = cls._fitted(at[near], spread[near], weight[near])
        return shape

    @classmethod
    def _fitted(cls, at: F64, spread: F64, weight: F64) -> TileShape:
        """Fit the slope to spreads (n, 2, 2) at centres ``at`` (n, 2), by least squares with weights (n,)."""
        root = root_of(spread)
        values = np.stack([root[:, 0, 0], root[:, 0, 1], root[:, 1, 1]], axis=1)
        middle = at.mean(axis=0)
        reach = max(float(np.abs(at - middle).max()), 1.0)
        rows = np.column_stack([np.ones(len(at)), (at - middle) / reach])
        # Prior towards constant size, as few tiles determine the change of size poorly.
        pull = 0.02 * float(weight.max()) * np.diag([0.0, 1.0, 1.0])
        found = np.linalg.solve((rows * weight[:, None]).T @ rows + pull, (rows * weight[:, None]).T @ values)
        slope = np.empty((3, 3))
        slope[1:] = found[1:] / reach
        slope[0] = found[0] - middle @ slope[1:]
        return cls(slope)

    def spread(self, at: F64) -> F64:
        """Return the spread (n, 2, 2) of tiles with their centres at ``at`` (n, 2) px."""
        xx, xy, yy = (np.column_stack([np.ones(len(at)), at]) @ self.slope).T
        root = np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)
        return np.asarray(root @ root)

    def strangeness(self, quads: F64) -> F64:
        """Relative difference (n,) between quads (n, 4, 2) and tiles of this shape; 0 for a perfect tile."""
        return _strangeness(spread_of(quads), self.spread(quads.mean(axis=1)))

    def gaps(self, at: F64, other: F64) -> F64:
        """Return the distances (n,) from points ``at`` (n, 2) to the point ``other`` (2,), in tile sides."""
        step = at - other
        return np.asarray(
            np.sqrt(np.maximum(np.einsum("ni,nij,nj->n", step, _inverse(self.spread(at)), step), 0.0))
        )

    def squares(self, at: F64, angles: F64, sizes: F64 | float = 1.0) -> F64:
        """Return quads (n, 4, 2) px, clockwise, of tiles with centres ``at`` (n, 2).
        They are rotated by ``angles`` (n,) radians in their plane, and scaled by ``sizes``."""
        corner = angles[:, None] + FIRST_CORNER + np.pi / 2 * np.arange(4)
        unit = np.sqrt(0.5) * np.stack([np.cos(corner), np.sin(corner)], axis=-1)
        unit *= np.broadcast_to(sizes, angles.shape)[:, None, None]
        return np.asarray(np.einsum("nij,nkj->nki", root_of(self.spread(at)), unit) + at[:, None])

    def flattened(self, points: F64, at: F64) -> F64:
        """Map points (n, m, 2) px to the tiles' plane, relative to the centres ``at`` (n, 2), in sides."""
        return np.asarray(
            np.linalg.solve(root_of(self.spread(at)), (points - at[:, None]).swapaxes(1, 2))
        ).swapaxes(1, 2)

    def turns(self, quads: F64) -> F64:
        """Rotations (n,) of quads in their plane, in radians."""
        flat = self.flattened(quads, quads.mean(axis=1)) @ np.array([1.0, 1.0j])
        return np.asarray(
            np.angle((flat * np.exp(-1j * (FIRST_CORNER + np.pi / 2 * np.arange(4)))).sum(axis=1))
        )


def spread_of(quads: F64) -> F64:
    """The sums (n, 2, 2) of the outer products of each quad's two sides."""
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    return across[:, :, None] * across[:, None] + down[:, :, None] * down[:, None]


def root_of(spread: F64) -> F64:
    """Return the symmetric matrix roots (n, 2, 2) of spreads (n, 2, 2).
    They map offsets in the tiles' plane, in sides, to pixels."""
    values, vectors = np.linalg.eigh(spread)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 1.0))[:, None]) @ vectors.transpose(0, 2, 1))


def _crowd(at: F64, spread: F64) -> F64:
    """Count the squares of similar size at each square's place, itself included: float64 (n,).
    ``at`` (n, 2) are the centres, ``spread`` (n, 2, 2) as of `spread_of`."""
    step = at[:, None] - at[None]
    size = np.sqrt(np.maximum(np.linalg.det(spread), 1.0))
    near = (step**2).sum(axis=2) < 0.25 * size[:, None]
    alike = np.abs(np.log(size[:, None] / size[None])) < 0.5
    return np.asarray((near & alike).sum(axis=1), np.float64)


def _inverse(spread: F64) -> F64:
    """Return the inverse (n, 2, 2) of spreads (n, 2, 2)."""
    det = spread[:, 0, 0] * spread[:, 1, 1] - spread[:, 0, 1] ** 2
    turned = np.stack([spread[:, 1, 1], -spread[:, 0, 1], -spread[:, 0, 1], spread[:, 0, 0]], axis=1)
    return np.asarray(turned.reshape(-1, 2, 2) / np.maximum(det, 1.0)[:, None, None])


def _strangeness(spread: F64, wanted: F64) -> F64:
    """Relative difference (n,) of ``spread`` (n, 2, 2) from ``wanted`` (n, 2, 2); 0 if they are equal."""
    ratio = _inverse(wanted) @ spread
    off = ratio - np.eye(2)
    return np.asarray(np.sqrt(np.maximum(np.einsum("nij,nji->n", off, off), 0.0)) / 2)


def clockwise(quads: F64) -> F64:
    """Reorder the corners of quads (n, 4, 2) clockwise."""
    x, y = quads[..., 0], quads[..., 1]
    area = (x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1)
    return np.where((area > 0)[:, None, None], quads, quads[:, ::-1])
