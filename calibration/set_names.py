"""Names for the faces of a set, all chosen together: a set has so many of each design and no more.

A face's fit to known faces says little between near-identical ones that were printed or scanned otherwise.
How many tiles show it, and how often a set has it, says more. Names are chosen by the least cost in all: what
each design fits worse than the best, and every tile that a set does not have. Faces are moved one by one and
in ejection chains (Glover, 'Ejection chains, reference structures and alternating path methods', 1996); the
same chains say what any other name of a face would cost, and so how sure its own is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS

F64 = NDArray[np.float64]
Counts = NDArray[np.int64]

CHAIN = 4
"""Faces moved one after another, at most, to make room for one."""
MOST_SETS = 4
"""Sets that are tried, at most."""
LIKELIEST = 6
"""Designs that a face may be named, at most: those that fit it best."""


@dataclass(frozen=True, slots=True, eq=False)
class SetNames:
    """For each face: ``design`` (n,) the index chosen, ``margin`` (n,) nats by which the best choice that
    names it otherwise costs more."""

    design: Counts
    margin: F64


def set_names(fits: NDArray[np.floating], tiles: Counts, counts: Counts) -> SetNames:
    """Names for faces with log-likelihoods ``fits`` (n, designs) that ``tiles`` (n,) tiles show, in a set
    that has ``counts`` (designs,) of each.

    Where more tiles are shown than any names leave room for, as of several sets or of tiles photographed
    twice, so many whole sets are taken to lie there.
    """
    cost = fits.max(axis=1, keepdims=True) - np.asarray(fits, np.float64)
    tiles, room = np.asarray(tiles, np.int64), np.maximum(np.asarray(counts, np.int64), 1)
    for sets in range(1, MOST_SETS + 1):
        names, beyond = _named(_Search(cost, tiles, room * sets))
        if beyond <= PARAMS.beyond_set_tiles:
            break
    return names


def _named(search: _Search) -> tuple[SetNames, int]:
    """The names of least cost, and the number of tiles beyond what there is."""
    cost = search.cost
    design = np.asarray(cost.argmin(axis=1), np.int64)
    total = search.cost_of(design)
    for _ in range(2 * len(cost)):
        tried = [search.forced(design, face, other) for face, other in search.choices(design)]
        best = min(tried, key=lambda one: one[0], default=(total, design))
        if best[0] >= total - 1e-9:
            break
        total, design = best
    margin = np.full(len(cost), np.inf)
    for face, other in search.choices(design):
        margin[face] = min(margin[face], search.forced(design, face, other)[0] - total)
    return SetNames(design, margin), search.beyond(design)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    cost: F64
    tiles: Counts
    room: Counts

    def cost_of(self, design: Counts) -> float:
        """Total cost of naming the faces so, nats."""
        beyond = PARAMS.beyond_set_nats * self.beyond(design)
        return float(self.cost[np.arange(len(design)), design].sum() + beyond)

    def beyond(self, design: Counts) -> int:
        """Number of tiles named so that the set does not have."""
        return int(np.maximum(self._told(design) - self.room, 0).sum())

    def choices(self, design: Counts) -> list[tuple[int, int]]:
        """Other names that faces may have: (face, design)."""
        likely = np.argsort(self.cost, axis=1)[:, :LIKELIEST]
        return [(face, int(d)) for face in range(len(design)) for d in likely[face] if d != design[face]]

    def forced(self, design: Counts, face: int, other: int) -> tuple[float, Counts]:
        """The least cost, and the names, with one face named otherwise and others moved to make room."""
        design = design.copy()
        moved = np.zeros(len(design), np.bool_)
        design[face], moved[face] = other, True
        best = (self.cost_of(design), design.copy())
        for _ in range(CHAIN):
            change = self._changes(design)
            change[moved] = np.inf
            face, other = (int(at) for at in np.unravel_index(int(change.argmin()), change.shape))
            if not np.isfinite(change[face, other]):
                break
            design[face], moved[face] = other, True
            total = self.cost_of(design)
            if total < best[0]:
                best = (total, design.copy())
        return best

    def _changes(self, design: Counts) -> F64:
        """Change of the whole cost (n, designs) by each move of one face."""
        told, rows = self._told(design), np.arange(len(design))
        here = np.maximum(told - self.room, 0)
        less = np.maximum(told[design] - self.tiles - self.room[design], 0) - here[design]
        more = np.maximum(told[None] + self.tiles[:, None] - self.room[None], 0) - here[None]
        change = self.cost - self.cost[rows, design][:, None]
        change = change + PARAMS.beyond_set_nats * (less[:, None] + more)
        change[rows, design] = np.inf
        return np.asarray(change)

    def _told(self, design: Counts) -> Counts:
        told = np.bincount(design, weights=self.tiles, minlength=len(self.room))
        return np.asarray(told, np.int64)
