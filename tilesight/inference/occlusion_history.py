"""Occlusion history: the visible share of each tile's print over time. A drop reveals a piece laid there.

One picture cannot tell whether a small tile lies half hidden behind a meeple. Two pictures can: the print
that was visible there is gone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point, cell_of
from engine.pack import Pack
from tilesight.inference.view_params import LIKELY, PARAMS
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, PieceReading
from vision.tokens.candidates import hidden_share

Shares = NDArray[np.float32]


@dataclass(slots=True)
class Prints:
    """Visible print of each tile in earlier pictures, and the signs of animal tiles derived from it.

    ``seen`` maps cells to float32 (g, g) arrays, 1 visible and 0 long hidden, rows from the game's north.
    ``owned_before`` are the places of players' pieces in the last picture at rest. ``signs`` maps places of
    supposed animal tiles to their evidence in nats and the time in seconds of the first sign. ``token_side``
    is the side of an animal tile in tile sides.
    """

    token_side: float = 0.4
    seen: dict[Cell, Shares] = field(default_factory=dict)
    owned_before: tuple[Point, ...] = ()
    signs: dict[Point, tuple[float, float]] = field(default_factory=dict)
    last_s: float = 0.0
    _found: dict[Point, float] = field(default_factory=dict)

    @classmethod
    def of(cls, pack: Pack) -> Prints:
        """Return empty prints for a game, with the size of the pack's animal tiles, if it has any."""
        return cls() if pack.token_mm is None else cls(pack.token_mm / pack.tile_mm)

    def confirmed_hints(
        self,
        hints: Sequence[PieceReading],
        lattice: LatticeFrame,
        cells: Mapping[Cell, CellReading],
        owned_points: Sequence[Point],
    ) -> list[PieceReading]:
        """Return ``hints`` of animal tiles: those that vanished print confirms, with raised probability.

        Other hints are kept unchanged if their probability is at least ``hint_worth``, else left out.
        ``cells`` are the readings in the game's frame, ``owned_points`` the places of the players' pieces.
        """
        self._found = {}
        arrived = [xy for xy in owned_points if not _is_near(xy, self.owned_before, PARAMS.same_place_sides)]
        kept = []
        for hint in hints:
            xy = lattice.point(hint.lattice_xy)
            known = [
                nats for at, (nats, _) in self.signs.items() if math.dist(at, xy) < PARAMS.same_place_sides
            ]
            nats = 0.0
            if known:
                nats = max(known)
            elif self._changed(xy, lattice, cells):
                plain = cell_of(xy) in self.seen and not _is_near(xy, arrived, PARAMS.hides_sides)
                nats = PARAMS.vanished_nats if plain else PARAMS.vanished_beside_nats
            odds = math.exp(nats) * hint.confidence / (1.0 - hint.confidence)
            sure = min(odds / (1.0 + odds), PARAMS.hint_most)
            if nats and sure >= LIKELY:
                self._found[xy] = nats
                kept.append(replace(hint, confidence=sure))
            elif hint.confidence >= PARAMS.hint_worth:
                kept.append(hint)
        return kept

    def note(
        self,
        cells: Mapping[Cell, CellReading],
        lattice: LatticeFrame,
        owned_points: Sequence[Point],
        t_s: float,
    ) -> None:
        """Record a picture at rest: the one whose hints were passed to :meth:`confirmed_hints` last.

        Hidden print fades from the memory over ``forgotten_s``; until then it counts as newly hidden. Print
        that a newly arrived piece hides is not recorded as vanished.
        """
        kept = np.float32(math.exp(-max(t_s - self.last_s, 0.0) / PARAMS.forgotten_s))
        arrived = [xy for xy in owned_points if not _is_near(xy, self.owned_before, PARAMS.same_place_sides)]
        for cell, reading in cells.items():
            if reading.log_tile > 0 and reading.hidden.size:
                shown = (~turned_to_game(reading.hidden, lattice)).astype(np.float32)
                before = self.seen.get(cell, shown)
                free = _far_mask(arrived, cell, len(shown))
                self.seen[cell] = np.maximum(before * kept * free, shown)
        signs = {}
        for xy, nats in self._found.items():
            since_s = min(
                (s for at, (_, s) in self.signs.items() if math.dist(at, xy) < PARAMS.same_place_sides),
                default=t_s,
            )
            if t_s - since_s < PARAMS.forgotten_s:
                signs[xy] = nats, since_s
        self.signs = signs
        self.owned_before = tuple(owned_points)
        self.last_s = t_s

    def _changed(self, xy: Point, lattice: LatticeFrame, cells: Mapping[Cell, CellReading]) -> bool:
        """Whether much print around ``xy`` is hidden now that was visible before, or never seen."""
        cell = cell_of(xy)
        reading = cells.get(cell)
        if reading is None or not reading.hidden.size:
            return False
        hidden = turned_to_game(reading.hidden, lattice)
        before = self.seen.get(cell, np.ones(hidden.shape, np.float32))
        return (
            hidden_share(hidden * before, (xy[0] - cell[0], xy[1] - cell[1]), self.token_side)
            >= PARAMS.vanished_share
        )


def turned_to_game(patches: NDArray[np.bool_], lattice: LatticeFrame) -> NDArray[np.bool_]:
    """Rotate a tile's patches (g, g): the first row is at the lattice's north before, at the game's after."""
    return np.rot90(patches, lattice.quarter_turns % 4)


def _is_near(xy: Point, others: Sequence[Point], within: float) -> bool:
    """Whether a point is nearer than ``within`` (tile sides) to one of the others."""
    return any(math.dist(xy, other) < within for other in others)


def _far_mask(places: Sequence[Point], cell: Cell, grid: int) -> Shares:
    """Return a mask (grid, grid) of a cell: 1 for patches at least ``hides_sides`` from every place."""
    at = (np.arange(grid, dtype=np.float32) + 0.5) / grid
    free = np.ones((grid, grid), np.float32)
    for x, y in places:
        apart = np.hypot(at[None] + (cell[0] - x), at[:, None] + (cell[1] - y))
        free *= apart >= PARAMS.hides_sides
    return free
