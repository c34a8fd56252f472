"""View: one picture's readings in the game's frame, weighed by earlier pictures; hands over the board."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.geometry import Cell, Point, cell_of
from engine.tiles.foreign import MARK, is_foreign
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.occlusion_history import Prints
from tilesight.inference.signs import Sign, Signs
from tilesight.inference.view_params import LIKELY, PARAMS
from vision.foreign_faces import UnknownCells
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation, PieceReading

PERSONS = OWNED
"""Kinds of pieces in a player's colour, which are mistaken for each other."""


@dataclass(frozen=True, slots=True)
class SeenPiece:
    """A piece reading in the game's frame: ``xy`` in tile sides, cell (x, y) covering [x, x+1].

    ``odd`` is a player's piece in a colour that nobody plays: some other piece, misread. ``news`` is how
    much of what a piece shows is new, be it an animal tile, what a player's piece is read as, or a piece
    ``beside`` the tiles: the same thing is misread in the same way, look after look.
    """

    reading: PieceReading
    xy: Point
    unexplained_cost: float
    odd: bool = False
    news: float = 1.0
    beside: bool = False

    @property
    def stands(self) -> bool:
        """Whether the piece is likelier than not to be there, and has a colour in play."""
        return self.reading.confidence >= LIKELY and not self.odd


@dataclass(slots=True, eq=False)
class View:
    """One observation in the game's frame.

    ``cells`` and ``pieces`` carry the readings; ``lattice`` is how the picture's lattice lies in the
    game's. ``news`` is how much of a cell's reading is new: the same tile in the same place is misread in
    the same way, so each further look counts less. ``log_tile`` are the log-odds that a tile lies at a
    cell, made stricter by how sure this picture is of the tiles that are known. ``busy`` is true while
    hands are in the picture. ``turned`` are cells that show another face than in the last picture at rest.
    """

    observation: Observation
    lattice: LatticeFrame
    cells: Mapping[Cell, CellReading]
    pieces: tuple[SeenPiece, ...]
    columns: Mapping[str, int]
    news: Mapping[Cell, float]
    log_tile: Mapping[Cell, float]
    busy: bool = False
    turned: frozenset[Cell] = frozenset()
    _in_sight: dict[Cell, bool] = field(default_factory=dict)
    _signs: Signs | None = None
    _best_face: dict[Cell, float] = field(default_factory=dict)
    _faces: dict[tuple[Cell, float], list[tuple[float, str, int]]] = field(default_factory=dict)

    def face(self, cell: Cell, design: str, rot: int) -> float:
        """Log-probability of a face at a cell, at most ``face_floor_nats`` below the cell's best face."""
        turn = (rot // 90 + self.lattice.quarter_turns) % 4
        if is_foreign(design):  # whatever is printed on it, and whichever way
            design, turn = MARK, self.lattice.quarter_turns % 4
        row = self.columns.get(design)
        worst = self._best(cell) - PARAMS.face_floor_nats
        return worst if row is None else max(float(self.cells[cell].log_probs[row, turn]), worst)

    def _best(self, cell: Cell) -> float:
        if cell not in self._best_face:
            self._best_face[cell] = float(self.cells[cell].log_probs.max())
        return self._best_face[cell]

    def faces(self, cell: Cell, within: float) -> list[tuple[float, str, int]]:
        """The faces (log-probability against the best, design, rot) at most ``within`` worse, best first."""
        found = self._faces.get((cell, within))
        if found is None:
            logs = self.cells[cell].log_probs - self._best(cell)
            designs = self.observation.designs
            found = [
                (float(logs[row, turn]), designs[int(row)], self.lattice.rot(90 * int(turn)))
                for row, turn in zip(*np.nonzero(logs >= -within), strict=True)
            ]
            found.sort(reverse=True)
            self._faces[cell, within] = found
        return found

    @property
    def signs(self) -> Signs:
        """The pieces that are read, by place."""
        if self._signs is None:
            kinds = ((seen, seen.reading.kind) for seen in self.pieces)
            pieces = (Sign(seen.xy, frozenset((kind,)), seen.odd, kind in OUTSIDE) for seen, kind in kinds)
            self._signs = Signs(pieces, {cell for cell, odds in self.log_tile.items() if odds > 0})
        return self._signs

    def persons(self) -> list[Point]:
        """Places of the players' pieces."""
        return [seen.xy for seen in self.pieces if seen.reading.kind in PERSONS and seen.stands]

    def hidden_by_pieces(self, cell: Cell) -> float:
        """Approximate fraction of a tile hidden by the pieces that are read on it."""
        return PARAMS.piece_hides_share * sum(cell_of(seen.xy) == cell for seen in self.pieces if seen.stands)

    def in_sight(self, cell: Cell) -> bool:
        """Whether the whole cell lies inside the picture."""
        known = self._in_sight.get(cell)
        if known is None:
            pose, at = self.observation.pose, self.lattice.lattice_cell(cell)
            known = self._in_sight[cell] = pose is not None and pose.shows_cell(at)
        return known


@dataclass(slots=True)
class Acquaintance:
    """Statistics of cells in earlier pictures: how often each was read, as which face, and how much of it
    is usually hidden; how often ``tokens`` and ``faint`` readings of players' pieces were seen at a place,
    others ``alike``; the spaces beside the tiles, ``outside``, on which pieces stand by the likeliest
    hypothesis; for certain, ``settled_outside``, ``settled_tokens`` and ``settled_persons`` (where, and
    within what reach, in tile sides). What is neither, but looked so at ``settled_s`` seconds, when a turn
    ended that is long settled, is something else."""

    looks: dict[Cell, int] = field(default_factory=dict)
    faces: dict[Cell, tuple[str, int]] = field(default_factory=dict)
    tokens: dict[Point, int] = field(default_factory=dict)
    faint: dict[Point, int] = field(default_factory=dict)
    alike: dict[str, dict[Point, int]] = field(default_factory=dict)
    stood: tuple[Point, ...] = ()
    hidden: dict[Cell, float] = field(default_factory=dict)
    outside: frozenset[Cell] = frozenset()
    settled_outside: frozenset[Cell] = frozenset()
    settled_tokens: tuple[tuple[Point, float], ...] = ()
    settled_persons: tuple[tuple[Point, float], ...] = ()
    settled_s: float = -math.inf
    prints: Prints = field(default_factory=Prints)
    unknown: UnknownCells = field(default_factory=UnknownCells)
    seen_s: float = 0.0

    def hand_over(self, view: View, known: Collection[Cell]) -> bool:
        """Whether known tiles are suddenly hidden; takes note of what is hidden now.

        One that is read and yet largely hidden is enough; of those not read at all it takes two, for now
        and then a tile is just not found.
        """
        sudden = unread = 0
        elapsed_s = max(view.observation.t_s - self.seen_s, 0.0)
        self.seen_s = view.observation.t_s
        share = 1.0 - math.exp(-elapsed_s / PARAMS.usual_after_s)
        for cell in known:
            if cell not in view.cells and not view.in_sight(cell):
                continue
            hidden = view.cells[cell].covered if cell in view.cells else 1.0
            usual = self.hidden.get(cell, 0.0)
            if hidden - usual > PARAMS.hand_share + PARAMS.piece_hides_share * self._more_pieces(view, cell):
                sudden += cell in view.cells
                unread += cell not in view.cells
            self.hidden[cell] = usual + share * (hidden - usual)
        return sudden > 0 or unread > 1

    def _more_pieces(self, view: View, cell: Cell) -> int:
        """Number of pieces on and around a tile beyond those of the last picture at rest."""
        now = sum(_around(cell, seen.xy) for seen in view.pieces if seen.stands)
        return max(now - sum(_around(cell, xy) for xy in self.stood), 0)

    def note(self, view: View, outside: Collection[Cell], board: Collection[Cell]) -> None:
        """Count a look at each cell that is read in a picture at rest; by the likeliest hypothesis pieces
        stand on the spaces ``outside`` and tiles lie on ``board``."""
        self.looks = {cell: self.looks.get(cell, 0) + 1 for cell in view.cells}
        self.tokens, self.faint = (
            {seen.xy: 1 + _looks_at(seen.xy, known) for seen in view.pieces if is_one(seen.reading)}
            for known, is_one in ((self.tokens, _is_token), (self.faint, _is_faint))
        )
        sure = [seen for seen in view.pieces if seen.reading.kind in PERSONS and not _is_faint(seen.reading)]
        before, self.alike = self.alike, {}
        for seen in (seen for seen in sure if cell_of(seen.xy) in board):
            looks = 1 + _looks_at(seen.xy, before.get(_traits(seen.reading), {}))
            self.alike.setdefault(_traits(seen.reading), {})[seen.xy] = looks
        self.stood = tuple(seen.xy for seen in view.pieces if seen.stands or seen.odd)
        self.faces = {cell: view.faces(cell, 0.0)[0][1:] for cell in view.cells}
        self.outside = frozenset(outside)
        self.prints.note(view.cells, view.lattice, [seen.xy for seen in sure], view.observation.t_s)

    def news_of(self, reading: PieceReading, xy: Point) -> float:
        """Share, 0 to 1, of an animal tile or a player's piece that is new: the same thing is misread in the
        same way, picture after picture."""
        alike = self.faint if _is_faint(reading) else self.alike.get(_traits(reading), {})
        known = self.tokens if _is_token(reading) else alike
        return max(1.0 / (1 + _looks_at(xy, known)), PARAMS.least_news)

    def outside_news(self, reading: PieceReading, xy: Point, t_s: float) -> float:
        """Fraction of a reading beside the tiles that counts as new."""
        cell, since_s = cell_of(xy), reading.since_s
        if since_s is None or cell in self.settled_outside:
            return 1.0
        if since_s < self.settled_s:
            return 0.0
        if cell in self.outside:
            return 1.0
        return max(PARAMS.stray_s / (PARAMS.stray_s + max(t_s - since_s, 0.0)), PARAMS.least_news)

    def knows_better(self, reading: PieceReading, xy: Point) -> bool:
        """Whether what looks like an animal tile, or a little like a player's piece, is something else that
        was there before."""
        if reading.since_s is None or reading.since_s >= self.settled_s:
            return False
        if reading.kind == "token":
            settled = self.settled_tokens
        elif reading.kind in PERSONS and reading.confidence < LIKELY:
            settled = self.settled_persons
        else:
            return False
        return all(math.dist(xy, place) > reach for place, reach in settled)

    def see_anew(self, view: View) -> None:
        """Cells that plainly show another face than before were turned or laid anew: all of their reading is
        news."""
        turned = set()
        for cell, reading in view.cells.items():
            if view.log_tile[cell] <= 0 or reading.covered > PARAMS.hand_share or cell not in self.faces:
                continue
            best, was = float(reading.log_probs.max()), self.faces[cell]
            if best - view.face(cell, *was) > PARAMS.turned_nats:
                turned.add(cell)
                self.looks.pop(cell, None)
        view.turned = frozenset(turned)
        view.news = {**view.news, **dict.fromkeys(turned, 1.0)}

    def forget(self, but: Collection[Cell]) -> None:
        """Count the readings of all cells as new, except those of ``but``."""
        self.looks = {cell: number for cell, number in self.looks.items() if cell in but}


def _around(cell: Cell, xy: Point) -> bool:
    return max(abs(xy[0] - cell[0] - 0.5), abs(xy[1] - cell[1] - 0.5)) < 0.5 + PARAMS.hides_sides


def view_of(
    observation: Observation,
    lattice: LatticeFrame,
    known: Collection[Cell],
    colors: Collection[str],
    before: Acquaintance,
) -> View:
    """Move an observation into the game's frame. On ``known`` cells there are tiles for sure; ``colors``
    are those of the players."""
    cells = {lattice.cell(cell): reading for cell, reading in observation.cells.items()}
    persons = [lattice.point(piece.lattice_xy) for piece in observation.pieces if piece.kind in PERSONS]
    tokens = [hint for hint in observation.hints if hint.kind == "token"]
    others = [hint for hint in observation.hints if hint.kind != "token"]
    hints = (*before.prints.believed(tokens, lattice, cells, persons), *others)
    pieces = tuple(
        _seen_piece(reading, lattice.point(reading.lattice_xy), observation, cells, colors, before)
        for reading in (*observation.pieces, *hints)
        if not before.knows_better(reading, lattice.point(reading.lattice_xy))
    )
    columns = {name: row for row, name in enumerate(observation.designs)}
    news = {cell: max(1.0 / (1 + before.looks.get(cell, 0)), PARAMS.least_news) for cell in cells}
    sure = [reading.log_tile for cell, reading in cells.items() if cell in known]
    doubt = max(PARAMS.new_tile_share * float(np.median(sure)), 0.0) if sure else 0.0
    log_tile = {cell: reading.log_tile - doubt for cell, reading in cells.items()}
    view = View(observation, lattice, cells, pieces, columns, news, log_tile)
    hidden = before.hand_over(view, known)
    view.busy = hidden or observation.unsettled > PARAMS.unsettled_tiles
    if not view.busy:
        before.see_anew(view)
    return view


def _seen_piece(
    reading: PieceReading,
    xy: Point,
    observation: Observation,
    cells: Mapping[Cell, CellReading],
    colors: Collection[str],
    before: Acquaintance,
) -> SeenPiece:
    cost = _unexplained_cost(reading)
    odd = reading.kind in PERSONS and reading.color not in colors
    tile = cells.get(cell_of(xy))
    if reading.kind == "token" or (tile is not None and tile.log_tile > 0):
        news = before.news_of(reading, xy)
        return SeenPiece(reading, xy, cost * news if reading.confidence < LIKELY else cost, odd, news)
    news = before.outside_news(reading, xy, observation.t_s)
    return SeenPiece(reading, xy, news * cost, odd, news, beside=True)


def _is_token(reading: PieceReading) -> bool:
    return reading.kind == "token"


def _is_faint(reading: PieceReading) -> bool:
    return reading.kind in PERSONS and reading.confidence < LIKELY


def _traits(reading: PieceReading) -> str:
    return f"{reading.color} {reading.kind} {reading.pose}"


def _looks_at(xy: Point, known: Mapping[Point, int]) -> int:
    """Number of pictures in a row with a reading at that place."""
    return max(
        (looks for place, looks in known.items() if math.dist(place, xy) < PARAMS.same_place_sides), default=0
    )


def _unexplained_cost(reading: PieceReading) -> float:
    """Cost, in nats, of a seen piece that is taken for none; negative where it was hardly seen, unless it
    is a player's."""
    sure = min(max(reading.confidence, 0.02), 0.98)
    person = reading.kind in PERSONS
    factor, nats = (PARAMS.person_odds_factor, PARAMS.person_nats) if person else (1.0, 1.0)
    return min(factor * math.log(sure / (1 - sure)) + nats, PARAMS.unexplained_most_nats)
