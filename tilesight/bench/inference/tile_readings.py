"""Simulated readings of tiles: faces, log-odds of occupancy and hidden shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, turned_kinds
from tilesight.bench.inference.params import SimulationParams
from tilesight.bench.inference.tables import Quantiles, Rng, mixed, share_of

FaceLogs = NDArray[np.float64]
"""Log-probabilities in nats, shape (designs, 4 quarter turns clockwise), in the game's frame of reference."""

_AT = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
PHOTOGRAPHED = (
    Quantiles(_AT, (-6.0, -0.2, 5.1, 6.9, 8.8, 16.0, 16.5)),
    Quantiles((0.0, 0.02, 0.05, 0.25, 0.5, 0.75, 1.0), (-3.0, 0.5, 5.5, 10.0, 15.2, 16.4, 16.5)),
    Quantiles(_AT, (0.5, 6.4, 12.0, 14.7, 16.3, 16.5, 16.5)),
)
"""Lead in nats of the true face over the likeliest other one that shares four edges, three, or fewer.

Measured on 448 appearances of tiles of a real game and three photographed boards of Carcassonne: 5.4, 1.8
and 0 % are read as such another face."""
DRAWN = (
    Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 1.0), (-3.0, 2.0, 10.5, 14.0, 15.5, 16.4, 17.0)),
    Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 1.0), (-1.0, 6.0, 13.3, 15.6, 16.5, 17.1)),
    Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 1.0), (4.0, 9.0, 13.3, 15.4, 16.4, 17.1)),
)
"""Leads as in `PHOTOGRAPHED`, measured on 150 tiles in rendered sessions and one printed deck.

None of these was misread; the values at the lowest shares are guesses."""
LOG_TILE = Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 1.0), (0.5, 3.5, 9.0, 17.0, 26.0, 31.0, 34.0))
"""Log-odds of laid tiles, measured on the same pictures."""
LOG_BARE = Quantiles((0.0, 0.08, 0.2, 0.5, 0.8, 1.0), (1.5, 0.0, -1.0, -1.3, -3.5, -5.0))
"""Log-odds of bare table that vision reads as if it were a tile."""
COVERED = Quantiles((0.0, 0.01, 0.05, 0.1, 1.0), (0.6, 0.53, 0.25, 0.02, 0.0))
COVERED_BY_PIECE = Quantiles(_AT, (0.62, 0.51, 0.33, 0.26, 0.22, 0.14, 0.06))
"""Hidden shares of tiles without and with a piece on them."""
ON_PHOTOGRAPHS = frozenset({"carcassonne"})
"""Games whose leads were measured on photographs; all others use `DRAWN`."""
FACES_APART_NATS = 3.0
"""Mean distance in nats of the other faces of a class from the likeliest one."""
BEST_NATS = 17.4
"""Maximum lead of a face over another, in nats."""
SAME, TURNED, ALONE = 0.4, 0.3, 0.3
"""Shares of a lead's variance: due to the tile, to the class of rival faces, and to the single picture."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceReading:
    """Reading of one face without noise: ``logs``, and the ``lead`` of the truth over all others in nats."""

    logs: FaceLogs
    lead: float


@dataclass(slots=True, eq=False)
class _TileTraits:
    """Random traits of one tile in one cell, which persist as long as it lies there."""

    quality: float
    share: float
    rivals: list[tuple[float, FaceLogs]]
    faces: dict[bool, FaceReading] = field(default_factory=dict)
    covered: dict[bool, float] = field(default_factory=dict)


class SimulatedTiles:
    """Draws random readings of tiles. Equal pictures of a tile give equal readings, without jitter."""

    def __init__(
        self, pack: Pack, rng: Rng, hardness: float, params: SimulationParams, *, worn: bool = False
    ) -> None:
        """``worn`` prints are read as those of photographs in every game."""
        self._pack = pack
        self._rng = rng
        self._hardness = hardness
        self._params = params
        self._leads = PHOTOGRAPHED if worn or pack.game in ON_PHOTOGRAPHS else DRAWN
        self._tiles: dict[tuple[Cell, str, int], _TileTraits] = {}
        self._bare: dict[Cell, tuple[float, FaceLogs] | None] = {}

    def face(self, cell: Cell, laid: Laid, *, occupied: bool) -> FaceReading:
        """Return the reading of a tile's face; ``occupied`` says that a piece stands on it."""
        tile = self._tile(cell, laid)
        if occupied not in tile.faces:
            tile.faces[occupied] = self._face(tile, laid, occupied=occupied)
        return tile.faces[occupied]

    def log_tile(self, cell: Cell, laid: Laid) -> float:
        """Return the log-odds, in nats, that the cell holds a tile rather than bare table."""
        return LOG_TILE.value(self._tile(cell, laid).share, self._hardness)

    def covered(self, cell: Cell, laid: Laid, *, occupied: bool) -> float:
        """Return the hidden share of a tile, 0 to 1."""
        tile = self._tile(cell, laid)
        if occupied not in tile.covered:
            table = COVERED_BY_PIECE if occupied else COVERED
            tile.covered[occupied] = table.value(float(self._rng.random()), self._hardness)
        return tile.covered[occupied]

    def bare(self, cell: Cell) -> tuple[float, FaceLogs] | None:
        """Return log-odds and face readings of an empty cell; None if vision does not read the cell."""
        if cell not in self._bare:
            rng = self._rng
            read = rng.random() < self._params.bare_read
            log_tile = LOG_BARE.value(float(rng.random()), self._hardness)
            faces = rng.normal(-6.0, 2.0, (len(self._pack.designs), 4))
            self._bare[cell] = (log_tile, faces) if read else None
        return self._bare[cell]

    def _tile(self, cell: Cell, laid: Laid) -> _TileTraits:
        key = (cell, laid.design.id, laid.rot)
        if key not in self._tiles:
            rng = self._rng
            rivals = []
            for members in rivals_of(self._pack)[laid.design.id, laid.rot]:
                apart = rng.exponential(FACES_APART_NATS, len(members))
                apart[rng.integers(len(members)) if len(members) else slice(0)] = 0.0
                rivals.append((float(rng.normal()), apart))
            self._tiles[key] = _TileTraits(float(rng.normal()), float(rng.random()), rivals)
        return self._tiles[key]

    def _face(self, tile: _TileTraits, laid: Laid, *, occupied: bool) -> FaceReading:
        designs = list(self._pack.designs)
        logs = np.full((len(designs), 4), -BEST_NATS)
        least = BEST_NATS
        classes = rivals_of(self._pack)[laid.design.id, laid.rot]
        for members, (kin, apart), table in zip(classes, tile.rivals, self._leads, strict=True):
            alone = float(self._rng.normal())
            if not len(members):
                continue
            share = share_of(mixed(((SAME, tile.quality), (TURNED, kin), (ALONE, alone))))
            lead = table.value(share, self._hardness)
            if occupied and lead > 0:
                lead *= self._params.under_piece
            logs[members[:, 0], members[:, 1]] = np.maximum(-lead - apart, -BEST_NATS)
            least = min(least, lead)
        logs[designs.index(laid.design.id), laid.rot // 90] = 0.0
        return FaceReading(logs, least)


@lru_cache(maxsize=8)
def rivals_of(pack: Pack) -> Mapping[tuple[str, int], Sequence[NDArray[np.int64]]]:
    """Group the other faces by the number of edges they share with each face.

    Keys are (design, rotation in degrees). Values are three int64 arrays of (row of the design, quarter
    turns), shape (n, 2): faces that share four edges, three (or the same face turned), and fewer.
    """
    return dict(_rivals(pack))


def _rivals(pack: Pack) -> Iterator[tuple[tuple[str, int], Sequence[NDArray[np.int64]]]]:
    names = list(pack.designs)
    kinds = np.array([[turned_kinds(pack.designs[name].tile, 90 * k) for k in range(4)] for name in names])
    for row, name in enumerate(names):
        for turn in range(4):
            alike = (kinds == kinds[row, turn]).sum(axis=2)
            alike[row] = np.minimum(alike[row], 3)  # a rotation of the same print is easier to tell apart
            alike[row, turn] = -1
            classes = (alike == 4, alike == 3, (alike >= 0) & (alike < 3))
            yield (name, 90 * turn), [np.argwhere(one) for one in classes]
