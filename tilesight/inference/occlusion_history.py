"""Occlusion history: the visible share of each tile's print over time; a drop tells of a piece laid there.

One picture leaves it open whether a small tile lies half hidden behind a meeple. Two do not: the print that
was in sight there is gone.
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
    """Visible share of each tile's print before, ``seen`` float32 (g, g), 1 in sight and 0 long hidden, rows
    from the game's north; the places where players' pieces ``stood``; and ``signs`` of animal tiles, each
    with its evidence in nats and the time at which it was first seen, in seconds. ``token_side`` is the side
    of an animal tile in tile sides."""

    token_side: float = 0.4
    seen: dict[Cell, Shares] = field(default_factory=dict)
    stood: tuple[Point, ...] = ()
    signs: dict[Point, tuple[float, float]] = field(default_factory=dict)
    last_s: float = 0.0
    _found: dict[Point, float] = field(default_factory=dict)

    @classmethod
    def of(cls, pack: Pack) -> Prints:
        """Prints of a game whose animal tiles, if any, are as large as the pack says."""
        return cls() if pack.token_mm is None else cls(pack.token_mm / pack.tile_mm)

    def believed(
        self,
        hints: Sequence[PieceReading],
        lattice: LatticeFrame,
        cells: Mapping[Cell, CellReading],
        persons: Sequence[Point],
    ) -> list[PieceReading]:
        """The hints at animal tiles that what was in sight before bears out, with their probability then;
        others that are likely enough in themselves as they are.

        ``cells`` are the readings in the game's frame, ``persons`` where the players' pieces stand.
        """
        self._found = {}
        arrived = [xy for xy in persons if not _near(xy, self.stood, PARAMS.same_place_sides)]
        told = []
        for hint in hints:
            xy = lattice.point(hint.lattice_xy)
            known = [
                nats for at, (nats, _) in self.signs.items() if math.dist(at, xy) < PARAMS.same_place_sides
            ]
            nats = 0.0
            if known:
                nats = max(known)
            elif self._changed(xy, lattice, cells):
                plain = cell_of(xy) in self.seen and not _near(xy, arrived, PARAMS.hides_sides)
                nats = PARAMS.vanished_nats if plain else PARAMS.vanished_beside_nats
            odds = math.exp(nats) * hint.confidence / (1.0 - hint.confidence)
            sure = min(odds / (1.0 + odds), PARAMS.hint_most)
            if nats and sure >= LIKELY:
                self._found[xy] = nats
                told.append(replace(hint, confidence=sure))
            elif hint.confidence >= PARAMS.hint_worth:
                told.append(hint)
        return told

    def note(
        self,
        cells: Mapping[Cell, CellReading],
        lattice: LatticeFrame,
        persons: Sequence[Point],
        t_s: float,
    ) -> None:
        """Take a picture at rest into account, the one whose hints were asked about last.

        What is hidden is so for good only after a while: until then it is news, look after look. But what
        a piece hides that has just arrived is no sign of anything else.
        """
        kept = np.float32(math.exp(-max(t_s - self.last_s, 0.0) / PARAMS.forgotten_s))
        arrived = [xy for xy in persons if not _near(xy, self.stood, PARAMS.same_place_sides)]
        for cell, reading in cells.items():
            if reading.log_tile > 0 and reading.hidden.size:
                shown = (~turned_to_game(reading.hidden, lattice)).astype(np.float32)
                before = self.seen.get(cell, shown)
                free = _away_from(arrived, cell, len(shown))
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
        self.stood = tuple(persons)
        self.last_s = t_s

    def _changed(self, xy: Point, lattice: LatticeFrame, cells: Mapping[Cell, CellReading]) -> bool:
        """Whether much of the print around a place was in sight, or never looked at, and is not now."""
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
    """A tile's patches (g, g) with rows from the lattice's north, with rows from the game's."""
    return np.rot90(patches, lattice.quarter_turns % 4)


def _near(xy: Point, others: Sequence[Point], within: float) -> bool:
    return any(math.dist(xy, other) < within for other in others)


def _away_from(places: Sequence[Point], cell: Cell, grid: int) -> Shares:
    """Mask (grid, grid) of a cell: 1 for patches ``hides_sides`` or more from every place."""
    at = (np.arange(grid, dtype=np.float32) + 0.5) / grid
    free = np.ones((grid, grid), np.float32)
    for x, y in places:
        apart = np.hypot(at[None] + (cell[0] - x), at[:, None] + (cell[1] - y))
        free *= apart >= PARAMS.hides_sides
    return free
