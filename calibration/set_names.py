"""Names for the faces of a set, assigned jointly under the number of tiles of each design.

The fit to known faces hardly separates near-identical ones that were printed or scanned differently; the
numbers of tiles do. The assignment minimises the total cost: the fits' deficits against the best design, and
a penalty for each tile beyond the set's number. The local search uses single moves and ejection chains
(Glover, 'Ejection chains, reference structures and alternating path methods', 1996); the same chains give the
cost of each alternative, and so the margin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS

F64 = NDArray[np.float64]
Counts = NDArray[np.int64]

CHAIN = 4
"""Maximum length of an ejection chain."""
MOST_SETS = 4
"""Maximum number of sets."""
LIKELIEST = 6
"""Maximum number of designs considered for a face, those that fit best."""


@dataclass(frozen=True, slots=True, eq=False)
class SetNames:
    """Assignment: ``design`` (n,) is the index of the design for each face.
    ``margin`` (n,) is the additional cost, in nats, of the best assignment that names it differently."""

    design: Counts
    margin: F64


def set_names(fits: NDArray[np.floating], tiles: Counts, counts: Counts) -> SetNames:
    """Assign a design to each face, jointly for all.

    ``fits`` (n, designs) are the faces' log-likelihoods, ``tiles`` (n,) the number of tiles that show each,
    ``counts`` (designs,) the number of tiles of each design in a set. If more tiles are shown than a set has,
    as with several sets or repeated photographs, several sets are assumed.
    """
    cost = fits.max(axis=1, keepdims=True) - np.asarray(fits, np.float64)
    tiles, room = np.asarray(tiles, np.int64), np.maximum(np.asarray(counts, np.int64), 1)
    for sets in range(1, MOST_SETS + 1):
        names, beyond = _named(_Search(cost, tiles, room * sets))
        if beyond <= PARAMS.beyond_set_tiles:
            break
    return names


def _named(search: _Search) -> tuple[SetNames, int]:
    """Search the assignment of least cost; return it and its number of surplus tiles."""
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
        """Total cost of an assignment, in nats."""
        beyond = PARAMS.beyond_set_nats * self.beyond(design)
        return float(self.cost[np.arange(len(design)), design].sum() + beyond)

    def beyond(self, design: Counts) -> int:
        """Number of tiles of an assignment that the set does not have."""
        return int(np.maximum(self._tiles_of_designs(design) - self.room, 0).sum())

    def choices(self, design: Counts) -> list[tuple[int, int]]:
        """The possible single changes: (face, other design)."""
        likely = np.argsort(self.cost, axis=1)[:, :LIKELIEST]
        return [(face, int(d)) for face in range(len(design)) for d in likely[face] if d != design[face]]

    def forced(self, design: Counts, face: int, other: int) -> tuple[float, Counts]:
        """Return the least cost, in nats, with ``face`` set to design ``other``, and its assignment.
        Up to CHAIN other faces are moved to other designs after it (an ejection chain)."""
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
        """Return the change of the total cost, in nats, (n, designs) by each single move.
        A face's own design has inf."""
        told, rows = self._tiles_of_designs(design), np.arange(len(design))
        here = np.maximum(told - self.room, 0)
        less = np.maximum(told[design] - self.tiles - self.room[design], 0) - here[design]
        more = np.maximum(told[None] + self.tiles[:, None] - self.room[None], 0) - here[None]
        change = self.cost - self.cost[rows, design][:, None]
        change = change + PARAMS.beyond_set_nats * (less[:, None] + more)
        change[rows, design] = np.inf
        return np.asarray(change)

    def _tiles_of_designs(self, design: Counts) -> Counts:
        """Number of tiles (designs,) of each design in an assignment."""
        told = np.bincount(design, weights=self.tiles, minlength=len(self.room))
        return np.asarray(told, np.int64)
