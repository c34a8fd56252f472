"""Look: one observation in the game's frame, and detection of hands over the board."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point, cell_of
from engine.tiles.pieces import OWNED
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.occlusion_history import Prints
from tilesight.inference.view_params import LIKELY
from tilesight.inference.view_params import PARAMS as VIEW
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation, PieceReading

LEAST_LOG = np.float32(-30.0)
"""Log-probability in nats: least that a face is given, so that readings can be averaged."""
LogProbs = NDArray[np.float32]
"""Log-probabilities of faces, shape (designs, 4): index r is a rotation of 90·r° in the game's frame."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A piece reading in the game's frame.

    ``xy`` is the contact point in tile sides: cell (x, y) covers [x, x + 1]. ``odd`` marks a player's piece
    in a colour that is not in play. ``beside`` marks a piece whose cell shows no tile.
    """

    reading: PieceReading
    xy: Point
    odd: bool = False
    beside: bool = False

    @property
    def stands(self) -> bool:
        """Whether the piece is probably there and its colour is in play."""
        return self.reading.confidence >= LIKELY and not self.odd


@dataclass(slots=True, eq=False)
class TableLook:
    """One observation in the game's frame.

    ``number`` counts the looks of a game from 0. ``usual`` holds, by cell, the share of it that was hidden
    before, such as by glare or by a different print of its face.
    """

    number: int
    observation: Observation
    lattice: LatticeFrame
    cells: Mapping[Cell, CellReading]
    pieces: tuple[Detection, ...]
    usual: Mapping[Cell, float] = field(default_factory=dict)
    _in_sight: dict[Cell, bool] = field(default_factory=dict)

    @property
    def t_s(self) -> float:
        """Seconds since the source began."""
        return self.observation.t_s

    def faces(self, cell: Cell) -> LogProbs:
        """Return the log-probabilities (designs, 4) of the faces at a cell, by rotation in the game's frame.

        Each is at least `LEAST_LOG`. Raises KeyError for a cell without a reading.
        """
        turned = np.roll(self.cells[cell].log_probs, -(self.lattice.quarter_turns % 4), axis=1)
        return np.maximum(turned, LEAST_LOG)

    def log_tile(self, cell: Cell) -> float:
        """Return the log-odds in nats that a tile lies at a cell; -inf if nothing is read there."""
        reading = self.cells.get(cell)
        return -math.inf if reading is None else reading.log_tile

    def hidden_by_pieces(self, cell: Cell) -> float:
        """Return the approximate share (0..1) of a tile that the pieces detected on it hide."""
        return VIEW.piece_hides_share * sum(cell_of(seen.xy) == cell for seen in self.pieces if seen.stands)

    def shows(self, cell: Cell) -> bool:
        """Whether a cell lies inside the picture and no more of it is hidden than usual and by pieces."""
        reading = self.cells.get(cell)
        if reading is None:
            return self.in_sight(cell)
        more = reading.covered - self.usual.get(cell, reading.covered) - self.hidden_by_pieces(cell)
        return more <= VIEW.hand_share and self.in_sight(cell)

    def in_sight(self, cell: Cell) -> bool:
        """Whether a cell lies inside the picture.

        A rim of ``rim_sides``, which holds no pieces, may lie outside.
        """
        known = self._in_sight.get(cell)
        if known is None:
            at = self.lattice.lattice_cell(cell)
            known = self._in_sight[cell] = self.observation.shows_cell(at, PARAMS.rim_sides)
        return known


def look_of(
    number: int,
    observation: Observation,
    lattice: LatticeFrame,
    colors: Collection[str],
    prints: Prints,
    usual: Mapping[Cell, float],
) -> TableLook:
    """Return an observation as look ``number`` in the game's frame.

    ``colors`` are those of the players, ``prints`` weighs the hints of animal tiles, ``usual`` is the share
    of each cell that was hidden before.
    """
    cells = {lattice.cell(cell): reading for cell, reading in observation.cells.items()}
    owned_points = [lattice.point(piece.lattice_xy) for piece in observation.pieces if piece.kind in OWNED]
    tokens = [hint for hint in observation.hints if hint.kind == "token"]
    others = [hint for hint in observation.hints if hint.kind != "token"]
    hints = (*prints.confirmed_hints(tokens, lattice, cells, owned_points), *others)
    pieces = tuple(
        _detection(reading, lattice.point(reading.lattice_xy), cells, colors)
        for reading in (*observation.pieces, *hints)
    )
    return TableLook(number, observation, lattice, cells, pieces, dict(usual))


def _detection(
    reading: PieceReading, xy: Point, cells: Mapping[Cell, CellReading], colors: Collection[str]
) -> Detection:
    """Return a piece reading at ``xy`` (game's frame) as a detection, with its ``odd`` and ``beside`` set."""
    odd = reading.kind in OWNED and reading.color not in colors
    tile = cells.get(cell_of(xy))
    beside = reading.kind != "token" and (tile is None or tile.log_tile <= 0)
    return Detection(reading, xy, odd, beside)


@dataclass(slots=True)
class Hands:
    """Detects hands over the board: known tiles that are suddenly hidden.

    ``usual`` is the share of each tile that is hidden most of the time. ``owned_before`` are the places of
    pieces in the last picture without a hand, taken at ``seen_s`` seconds.
    """

    usual: dict[Cell, float] = field(default_factory=dict)
    owned_before: tuple[Point, ...] = ()
    seen_s: float = -math.inf

    def over(self, look: TableLook, known: Collection[Cell]) -> bool:
        """Whether a hand hides some ``known`` tiles, or the whole picture moves; also updates ``usual``.

        One tile that is read and largely hidden is enough; of tiles that are not read at all it takes two,
        since a tile is missed now and then. A change of the whole picture counts only within ``moving_s``
        seconds of the last picture: pictures taken minutes apart differ in light everywhere.
        """
        elapsed_s = max(look.t_s - self.seen_s, 0.0)
        self.seen_s = look.t_s
        share = 1.0 - math.exp(-elapsed_s / VIEW.usual_after_s)
        sudden = unread = 0
        for cell in {*known, *look.cells}:
            if cell not in look.cells and not look.in_sight(cell):
                continue
            hidden = look.cells[cell].covered if cell in look.cells else 1.0
            usual = self.usual.get(cell, 0.0 if cell in known else hidden)
            excused = VIEW.piece_hides_share * self._more_pieces(look, cell)
            if cell in known and hidden - usual > VIEW.hand_share + excused:
                sudden += cell in look.cells
                unread += cell not in look.cells
            self.usual[cell] = usual + share * (hidden - usual)
        moving = look.observation.unsettled > VIEW.unsettled_tiles and elapsed_s <= PARAMS.moving_s
        if sudden or unread > 1 or moving:
            return True
        self.owned_before = tuple(seen.xy for seen in look.pieces if seen.stands or seen.odd)
        return False

    def _more_pieces(self, look: TableLook, cell: Cell) -> int:
        """Return by how many pieces more are on and around a tile than in the last picture without a hand."""
        now = sum(_around(cell, seen.xy) for seen in look.pieces if seen.stands)
        return max(now - sum(_around(cell, xy) for xy in self.owned_before), 0)


def _around(cell: Cell, xy: Point) -> bool:
    """Whether a point lies on a cell or within ``hides_sides`` of it."""
    return max(abs(xy[0] - cell[0] - 0.5), abs(xy[1] - cell[1] - 0.5)) < 0.5 + VIEW.hides_sides
