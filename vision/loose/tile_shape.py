"""Tile shape: the size and slant that all loose tiles of one photograph share.

Where no lattice ties tiles together, this is what they have in common; it tells tiles from parts of tiles
and from the space between them, and says how large a tile must look where none has been seen yet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.loose.params import PARAMS

F64 = NDArray[np.float64]

LEAST_CHANCE = 0.5
"""Probability of being one laid tile from which a square is likelier one than not."""
FEW = 4
"""Squares that suffice to speak for the shape of all, where they are that likely."""
GROWTHS = 8
"""Rounds in which the shape agreed on takes in tiles further towards and away from the camera."""
FIRST_CORNER = -0.75 * np.pi
"""Angle, radians, from a square's middle to its first corner."""


@dataclass(frozen=True, slots=True, eq=False)
class TileShape:
    """Size and slant of a tile's image, anywhere in the photograph, whichever way it is turned.

    A square's spread, its sides' outer products added up, does not change when the square is turned in its
    plane. ``slope`` (3, 3) gives xx, xy, yy of the spread's root from (1, x, y): lengths grow evenly towards
    the camera, and it is a length.
    """

    slope: F64

    @classmethod
    def agreed(cls, quads: F64, chance: F64) -> TileShape | None:
        """The shape that the likeliest squares agree on; None where none is likely."""
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
        root = root_of(spread)
        values = np.stack([root[:, 0, 0], root[:, 0, 1], root[:, 1, 1]], axis=1)
        middle = at.mean(axis=0)
        reach = max(float(np.abs(at - middle).max()), 1.0)
        rows = np.column_stack([np.ones(len(at)), (at - middle) / reach])
        # Few tiles say little of how the size changes: a pull towards no change at all keeps it sane.
        pull = 0.02 * float(weight.max()) * np.diag([0.0, 1.0, 1.0])
        found = np.linalg.solve((rows * weight[:, None]).T @ rows + pull, (rows * weight[:, None]).T @ values)
        slope = np.empty((3, 3))
        slope[1:] = found[1:] / reach
        slope[0] = found[0] - middle @ slope[1:]
        return cls(slope)

    def spread(self, at: F64) -> F64:
        """The spread (n, 2, 2) of a tile whose middle lies at (n, 2)."""
        xx, xy, yy = (np.column_stack([np.ones(len(at)), at]) @ self.slope).T
        root = np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)
        return np.asarray(root @ root)

    def strangeness(self, quads: F64) -> F64:
        """Distance (n,) of quads from being tiles; 0 is one."""
        return _strangeness(spread_of(quads), self.spread(quads.mean(axis=1)))

    def gaps(self, at: F64, other: F64) -> F64:
        """Distances (n,) from points (n, 2) to a point, in tile sides."""
        step = at - other
        return np.asarray(
            np.sqrt(np.maximum(np.einsum("ni,nij,nj->n", step, _inverse(self.spread(at)), step), 0.0))
        )

    def squares(self, at: F64, angles: F64, sizes: F64 | float = 1.0) -> F64:
        """Tiles (n, 4, 2), clockwise, with their middles at (n, 2), turned by (n,) radians in their plane,
        ``sizes`` times as large as they should be."""
        corner = angles[:, None] + FIRST_CORNER + np.pi / 2 * np.arange(4)
        unit = np.sqrt(0.5) * np.stack([np.cos(corner), np.sin(corner)], axis=-1)
        unit *= np.broadcast_to(sizes, angles.shape)[:, None, None]
        return np.asarray(np.einsum("nij,nkj->nki", root_of(self.spread(at)), unit) + at[:, None])

    def flattened(self, points: F64, at: F64) -> F64:
        """Points (n, m, 2) around middles (n, 2) as they lie in the tiles' plane, in sides."""
        return np.asarray(
            np.linalg.solve(root_of(self.spread(at)), (points - at[:, None]).swapaxes(1, 2))
        ).swapaxes(1, 2)

    def turns(self, quads: F64) -> F64:
        """By how much (n,) quads are turned in their plane, radians."""
        flat = self.flattened(quads, quads.mean(axis=1)) @ np.array([1.0, 1.0j])
        return np.asarray(
            np.angle((flat * np.exp(-1j * (FIRST_CORNER + np.pi / 2 * np.arange(4)))).sum(axis=1))
        )


def spread_of(quads: F64) -> F64:
    """The outer products of a square's two sides added up, (n, 2, 2)."""
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    return across[:, :, None] * across[:, None] + down[:, :, None] * down[:, None]


def root_of(spread: F64) -> F64:
    """The symmetric roots of spreads (n, 2, 2): what takes flat lengths, in sides, to pixels."""
    values, vectors = np.linalg.eigh(spread)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 1.0))[:, None]) @ vectors.transpose(0, 2, 1))


def _crowd(at: F64, spread: F64) -> F64:
    """Number of squares of about its size on each (n,), itself included: a tile is proposed often."""
    step = at[:, None] - at[None]
    size = np.sqrt(np.maximum(np.linalg.det(spread), 1.0))
    near = (step**2).sum(axis=2) < 0.25 * size[:, None]
    alike = np.abs(np.log(size[:, None] / size[None])) < 0.5
    return np.asarray((near & alike).sum(axis=1), np.float64)


def _inverse(spread: F64) -> F64:
    det = spread[:, 0, 0] * spread[:, 1, 1] - spread[:, 0, 1] ** 2
    turned = np.stack([spread[:, 1, 1], -spread[:, 0, 1], -spread[:, 0, 1], spread[:, 0, 0]], axis=1)
    return np.asarray(turned.reshape(-1, 2, 2) / np.maximum(det, 1.0)[:, None, None])


def _strangeness(spread: F64, wanted: F64) -> F64:
    """Distance of a spread from the wanted one, as a share: sizes and slants alike."""
    ratio = _inverse(wanted) @ spread
    off = ratio - np.eye(2)
    return np.asarray(np.sqrt(np.maximum(np.einsum("nij,nji->n", off, off), 0.0)) / 2)


def clockwise(quads: F64) -> F64:
    """The quads (n, 4, 2) with their corners in clockwise order."""
    x, y = quads[..., 0], quads[..., 1]
    area = (x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1)
    return np.where((area > 0)[:, None, None], quads, quads[:, ::-1])
