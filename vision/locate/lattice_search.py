"""Lattice search: finds the largest sets of loose quads that lie on one lattice.

The quads are proposals of single tiles by known faces and the heat map. Adjacency between quads is computed
once for all; a set grows from neighbour to neighbour, and across gaps by the lattice fitted to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import Points
from vision.geometry.lattice import STEPS, Lattice, cell_corners
from vision.locate.params import PARAMS
from vision.observation import mean_sides_px

STARTS = 6
"""Maximum number of sets, each started at the heaviest unused quad."""

Members = dict[Cell, tuple[int, int]]
"""Cell -> (index of its quad, rotation of the quad): corner ``(turn + i) % 4`` of the quad is the cell's
i-th."""


@dataclass(frozen=True, slots=True, eq=False)
class LatticeHypothesis:
    """A set of quads on one lattice, with the sum of their weights."""

    members: Mapping[Cell, tuple[int, int]]
    lattice: Lattice
    weight: float


def find_lattices(
    quads: NDArray[np.float64],
    weights: NDArray[np.float64],
    image_size_wh: tuple[int, int],
    most: int = STARTS,
) -> list[LatticeHypothesis]:
    """Find at most ``most`` sets of quads that lie on one lattice each, heaviest first.

    ``quads`` has shape (n, 4, 2), clockwise in the image from any corner; ``weights`` (n,) are positive. A
    set may consist of a single quad.
    """
    loose = LooseQuads(quads, weights, image_size_wh)
    found: list[LatticeHypothesis] = []
    used: set[int] = set()
    begun = loose.begun()
    worth = PARAMS.worth_growing * max(map(loose.weight_of, begun), default=0.0)
    for members in begun:
        start, _ = members[0, 0]
        if start in used or loose.weight_of(members) < worth:
            continue
        found.append(loose.grown(members))
        used.update(index for index, _ in found[-1].members.values())
    return sorted(found, key=lambda grown: -grown.weight)[:most]


def merged(
    first: NDArray[np.float64],
    first_weights: NDArray[np.float64],
    second: NDArray[np.float64],
    second_weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Merge two sets of quads (n, 4, 2) with weights (n,).
    Of overlapping quads the first set's is kept, and the largest of the others' weights is added to its
    own."""
    if not len(first) or not len(second):
        return np.concatenate([first, second]), np.concatenate([first_weights, second_weights])
    middles, others = first.mean(axis=1), second.mean(axis=1)
    side = mean_sides_px(first)
    apart = np.linalg.norm(middles[:, None] - others[None], axis=2) / side[:, None]
    doubled = apart < 0.4
    agreeing = (doubled * second_weights[None]).max(axis=1)
    free = ~doubled.any(axis=0)
    return (
        np.concatenate([first, second[free]]),
        np.concatenate([first_weights + agreeing, second_weights[free]]),
    )


@dataclass(frozen=True, eq=False)
class LooseQuads:
    """Quads (n, 4, 2) in pixels, clockwise from any corner, and their weights (n,)."""

    quads: NDArray[np.float64]
    weights: NDArray[np.float64]
    image_size_wh: tuple[int, int]

    @cached_property
    def turned(self) -> NDArray[np.float64]:
        """The quads (n, 4, 4, 2), starting at each of their corners."""
        return np.stack([np.roll(self.quads, -turn, axis=1) for turn in range(4)], axis=1)

    @cached_property
    def centres(self) -> Points:
        """The quads' centres (n, 2)."""
        return np.asarray(self.quads.mean(axis=1))

    @cached_property
    def beside(self) -> list[list[list[tuple[int, int]]]]:
        """The adjacent quads of each quad in each of `STEPS`, best first, as (index, rotation).
        A quad's steps follow its own corner order."""
        steps = np.array(STEPS, dtype=np.float64)
        nw, ne, se, sw = self.quads.transpose(1, 0, 2)
        along, down = (ne + se - nw - sw) / 2.0, (se + sw - nw - ne) / 2.0
        shifts = steps[None, :, :1] * along[:, None] + steps[None, :, 1:] * down[:, None]
        expected = self.quads[:, None] + shifts[:, :, None]
        sides = np.repeat(mean_sides_px(self.quads), len(STEPS))
        rows, others, turns = self._near(expected.reshape(-1, 4, 2), sides, PARAMS.neighbour_sides)
        found: list[list[list[tuple[int, int]]]] = [[[] for _ in STEPS] for _ in self.quads]
        for row, other, turn in zip(rows.tolist(), others.tolist(), turns.tolist(), strict=True):
            found[row // len(STEPS)][row % len(STEPS)].append((other, turn))
        return found

    def _near(
        self, expected: NDArray[np.float64], sides: NDArray[np.float64], within: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Match ``expected`` quads (m, 4, 2) with the loose ones that differ by less than ``within`` sides.
        Returns arrays of row in ``expected``, quad index and rotation, ordered by row and then by error.
        ``sides`` (m,) are the side lengths in pixels."""
        apart = expected.mean(axis=1)[:, None] - self.centres[None]
        rows, others = np.nonzero((apart * apart).sum(axis=2) < (within * sides[:, None]) ** 2)
        errors = np.abs(self.turned[others] - expected[rows, None]).mean(axis=(2, 3)) / sides[rows, None]
        turns, error = errors.argmin(axis=1), errors.min(axis=1)
        order = np.lexsort((error, rows))
        order = order[error[order] < within]
        return rows[order], others[order], turns[order]

    def weight_of(self, members: Members) -> float:
        """The sum of the members' weights."""
        return float(sum(self.weights[index] for index, _ in members.values()))

    def begun(self) -> list[Members]:
        """Return sets of joined neighbours, at most `STARTS`, each from the heaviest unused quad.
        The last is the first set, if any, with more than half of the total weight."""
        found: list[Members] = []
        used: set[int] = set()
        most = 0.0
        for start in np.argsort(-self.weights).tolist():
            if len(found) == STARTS or most > 0.5 * self.weights.sum():
                break
            if start not in used:
                found.append(self._joined(start))
                used.update(index for index, _ in found[-1].values())
                most = max(most, self.weight_of(found[-1]))
        return found

    def _joined(self, start: int) -> Members:
        """Return the quads that are joined to the quad ``start`` by neighbours, transitively."""
        members: Members = {(0, 0): (start, 0)}
        taken = {start}
        queue: list[Cell] = [(0, 0)]
        for cell in queue:
            index, turn = members[cell]
            for number, (dx, dy) in enumerate(STEPS):
                there = (cell[0] + dx, cell[1] + dy)
                if there in members:
                    continue
                for other, by in self.beside[index][(number + turn) % 4]:
                    if other not in taken:
                        members[there] = (other, (by + turn) % 4)
                        taken.add(other)
                        queue.append(there)
                        break
        return members

    def grown(self, members: Members) -> LatticeHypothesis:
        """Grow the set ``members`` across gaps by the predictions of its lattice, until nothing changes."""
        lattice = self._fitted(members)
        for _ in range(4):
            more = self._with_predicted(members, lattice) if len(members) > 1 else members
            kept = self._consistent(more, lattice)
            if kept == members:
                break
            members = kept
            lattice = self._fitted(members)
        return LatticeHypothesis(members, lattice, self.weight_of(members))

    def _fitted(self, members: Members) -> Lattice:
        """Fit a lattice to the members' quads."""
        pixels = np.concatenate([self.turned[member] for member in members.values()])
        weights = np.repeat([self.weights[i] for i, _ in members.values()], 4)
        return Lattice.fit(
            cell_corners(members), pixels, self.image_size_wh, weights, with_lens=False, rounds=3
        )

    def _with_predicted(self, members: Members, lattice: Lattice) -> Members:
        """Return the members, with quads added in free cells near them, best centred first."""
        where = lattice.unproject(self.centres)
        cells = np.floor(where).astype(int)
        off = np.abs(where - cells - 0.5).max(axis=1)
        apart = np.abs(np.array(list(members))[None] - cells[:, None]).max(axis=2).min(axis=1)
        taken = {index for index, _ in members.values()}
        near = (off <= 0.25) & (apart <= PARAMS.joined_steps)
        wanted = [i for i in np.argsort(off).tolist() if near[i] and i not in taken]
        names = [(int(x), int(y)) for x, y in cells[wanted]]
        joined = dict(members)
        free = list(dict.fromkeys(cell for cell in names if cell not in members))
        if not free:
            return joined
        expected = lattice.quads(free)
        rows, others, turns = self._near(expected, mean_sides_px(expected), PARAMS.in_cell_sides)
        for row, other, turn in zip(rows.tolist(), others.tolist(), turns.tolist(), strict=True):
            if free[row] not in joined and other not in taken:
                joined[free[row]] = (other, turn)
                taken.add(other)
        return joined

    def _consistent(self, members: Members, lattice: Lattice) -> Members:
        """The members whose quads are within `in_cell_sides` of the lattice's; all if none is."""
        expected = lattice.quads(members)
        seen = np.stack([self.turned[member] for member in members.values()])
        within = PARAMS.in_cell_sides * mean_sides_px(expected)
        good = np.linalg.norm(seen - expected, axis=2).mean(axis=1) < within
        kept = {cell: member for (cell, member), ok in zip(members.items(), good, strict=True) if ok}
        return kept or members
