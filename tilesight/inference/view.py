"""View: one picture's readings in the game's frame, weighed by earlier pictures; detection of hands."""

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


@dataclass(frozen=True, slots=True)
class FramedPiece:
    """A piece reading in the game's frame: ``xy`` in tile sides; cell (x, y) covers [x, x+1].

    ``odd`` marks a player's piece in a colour that is not in play, which must be a misreading. ``novelty`` is
    the share, 0 to 1, of the reading that is new: a repeated reading repeats its error. ``beside`` marks a
    piece beside the tiles. ``unexplained_cost`` is the cost in nats of explaining it by no piece.
    """

    reading: PieceReading
    xy: Point
    unexplained_cost: float
    odd: bool = False
    novelty: float = 1.0
    beside: bool = False

    @property
    def stands(self) -> bool:
        """Whether the piece is probably there and its colour is in play."""
        return self.reading.confidence >= LIKELY and not self.odd


@dataclass(slots=True, eq=False)
class View:
    """One observation in the game's frame.

    ``cells`` and ``pieces`` hold the readings, ``lattice`` is how the picture's lattice lies in the game's
    frame. ``novelty`` is the share of each cell's reading that is new: the same tile is misread the same way
    again, so further pictures count less. ``log_tile`` holds the log-odds that a tile lies at a cell, reduced
    if this picture shows even the known tiles poorly. ``busy`` is true while a hand is in the picture.
    ``turned`` are the cells that show another face than in the last picture at rest. ``columns`` maps designs
    to rows of ``log_probs``.
    """

    observation: Observation
    lattice: LatticeFrame
    cells: Mapping[Cell, CellReading]
    pieces: tuple[FramedPiece, ...]
    columns: Mapping[str, int]
    novelty: Mapping[Cell, float]
    log_tile: Mapping[Cell, float]
    busy: bool = False
    turned: frozenset[Cell] = frozenset()
    _in_sight: dict[Cell, bool] = field(default_factory=dict)
    _signs: Signs | None = None
    _best_face: dict[Cell, float] = field(default_factory=dict)
    _faces: dict[tuple[Cell, float], list[tuple[float, str, int]]] = field(default_factory=dict)

    def face(self, cell: Cell, design: str, rot: int) -> float:
        """Return the log-probability of a face at a cell, at least the best face's minus ``face_floor_nats``.

        Raises KeyError for a cell without a reading.
        """
        turn = (rot // 90 + self.lattice.quarter_turns) % 4
        if is_foreign(design):  # one column for all foreign tiles, in any rotation
            design, turn = MARK, self.lattice.quarter_turns % 4
        row = self.columns.get(design)
        worst = self._best(cell) - PARAMS.face_floor_nats
        return worst if row is None else max(float(self.cells[cell].log_probs[row, turn]), worst)

    def _best(self, cell: Cell) -> float:
        """Return the highest log-probability of any face at a cell."""
        if cell not in self._best_face:
            self._best_face[cell] = float(self.cells[cell].log_probs.max())
        return self._best_face[cell]

    def faces(self, cell: Cell, within: float) -> list[tuple[float, str, int]]:
        """Return the faces at most ``within`` nats below the best, best first.

        Each is (difference from the best in nats, 0 or negative; design; rot).
        """
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
        """The detected pieces, and the cells that show a tile, as `Signs`."""
        if self._signs is None:
            kinds = ((seen, seen.reading.kind) for seen in self.pieces)
            pieces = (Sign(seen.xy, frozenset((kind,)), seen.odd, kind in OUTSIDE) for seen, kind in kinds)
            self._signs = Signs(pieces, {cell for cell, odds in self.log_tile.items() if odds > 0})
        return self._signs

    def owned_points(self) -> list[Point]:
        """Return the places (game's frame) of the players' pieces that are probably there."""
        return [seen.xy for seen in self.pieces if seen.reading.kind in OWNED and seen.stands]

    def hidden_by_pieces(self, cell: Cell) -> float:
        """Return the approximate share (0..1) of a tile that the pieces detected on it hide."""
        return PARAMS.piece_hides_share * sum(cell_of(seen.xy) == cell for seen in self.pieces if seen.stands)

    def in_sight(self, cell: Cell) -> bool:
        """Whether the whole cell lies inside the picture."""
        known = self._in_sight.get(cell)
        if known is None:
            at = self.lattice.lattice_cell(cell)
            known = self._in_sight[cell] = self.observation.shows_cell(at)
        return known


@dataclass(slots=True)
class ReadingHistory:
    """Readings of earlier pictures, by which a new reading is weighed.

    Per cell: ``looks`` counts the pictures at rest that read it, ``faces`` holds the face read last,
    ``hidden`` the share usually hidden. Per place: ``tokens``, ``faint`` and ``alike`` count the pictures in
    a row with an animal tile, with a faint player's piece, and with a clear one (by its traits).
    ``stood_before`` are the pieces of the last picture at rest.

    ``outside`` are the spaces beside the tiles that hold pieces by the likeliest hypothesis;
    ``settled_outside`` are those that certainly do. ``settled_tokens`` and ``settled_owned`` are the certain
    animal tiles and players' pieces, as (place, search radius in tile sides). A detection that none of them
    explains and that was there before ``settled_s`` (the end of a long settled turn, in seconds) is clutter.
    """

    looks: dict[Cell, int] = field(default_factory=dict)
    faces: dict[Cell, tuple[str, int]] = field(default_factory=dict)
    tokens: dict[Point, int] = field(default_factory=dict)
    faint: dict[Point, int] = field(default_factory=dict)
    alike: dict[str, dict[Point, int]] = field(default_factory=dict)
    stood_before: tuple[Point, ...] = ()
    hidden: dict[Cell, float] = field(default_factory=dict)
    outside: frozenset[Cell] = frozenset()
    settled_outside: frozenset[Cell] = frozenset()
    settled_tokens: tuple[tuple[Point, float], ...] = ()
    settled_owned: tuple[tuple[Point, float], ...] = ()
    settled_s: float = -math.inf
    prints: Prints = field(default_factory=Prints)
    unknown: UnknownCells = field(default_factory=UnknownCells)
    seen_s: float = 0.0

    def detect_hand(self, view: View, known: Collection[Cell]) -> bool:
        """Whether known tiles are suddenly hidden. Updates ``self.hidden``, the share that is usually hidden.

        One tile that is read and yet largely hidden is enough. Of tiles that are not read at all it takes
        two, because a single tile is missed now and then.
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
        """Return by how many pieces more are on and around a tile than in the last picture at rest."""
        now = sum(_is_around(cell, seen.xy) for seen in view.pieces if seen.stands)
        return max(now - sum(_is_around(cell, xy) for xy in self.stood_before), 0)

    def note(self, view: View, outside: Collection[Cell], board: Collection[Cell]) -> None:
        """Record a picture at rest.

        By the likeliest hypothesis, pieces are on the spaces ``outside`` and tiles lie on ``board``.
        """
        self.looks = {cell: self.looks.get(cell, 0) + 1 for cell in view.cells}
        self.tokens, self.faint = (
            {seen.xy: 1 + _looks_near(seen.xy, known) for seen in view.pieces if is_one(seen.reading)}
            for known, is_one in ((self.tokens, _is_token), (self.faint, _is_faint))
        )
        sure = [seen for seen in view.pieces if seen.reading.kind in OWNED and not _is_faint(seen.reading)]
        before, self.alike = self.alike, {}
        for seen in (seen for seen in sure if cell_of(seen.xy) in board):
            looks = 1 + _looks_near(seen.xy, before.get(_trait_key(seen.reading), {}))
            self.alike.setdefault(_trait_key(seen.reading), {})[seen.xy] = looks
        self.stood_before = tuple(seen.xy for seen in view.pieces if seen.stands or seen.odd)
        self.faces = {cell: view.faces(cell, 0.0)[0][1:] for cell in view.cells}
        self.outside = frozenset(outside)
        self.prints.note(view.cells, view.lattice, [seen.xy for seen in sure], view.observation.t_s)

    def novelty_of(self, reading: PieceReading, xy: Point) -> float:
        """Return the share, 0 to 1, of an animal tile's or player's piece's reading that is new.

        The same thing is misread the same way picture after picture, so repeats at one place count less.
        """
        alike = self.faint if _is_faint(reading) else self.alike.get(_trait_key(reading), {})
        known = self.tokens if _is_token(reading) else alike
        return max(1.0 / (1 + _looks_near(xy, known)), PARAMS.least_novelty)

    def outside_novelty(self, reading: PieceReading, xy: Point, t_s: float) -> float:
        """Return the share, 0 to 1, of a reading beside the tiles that is new.

        1 where the game has or expects a piece; less the longer (in seconds, up to ``t_s``) something else
        was there; 0 if it was there before ``settled_s``.
        """
        cell, since_s = cell_of(xy), reading.since_s
        if since_s is None or cell in self.settled_outside:
            return 1.0
        if since_s < self.settled_s:
            return 0.0
        if cell in self.outside:
            return 1.0
        return max(PARAMS.stray_s / (PARAMS.stray_s + max(t_s - since_s, 0.0)), PARAMS.least_novelty)

    def is_settled_clutter(self, reading: PieceReading, xy: Point) -> bool:
        """Whether a reading is an object that was there before ``settled_s`` and is no known piece.

        Only animal tiles and faint players' pieces can be; for other readings False.
        """
        if reading.since_s is None or reading.since_s >= self.settled_s:
            return False
        if reading.kind == "token":
            settled = self.settled_tokens
        elif reading.kind in OWNED and reading.confidence < LIKELY:
            settled = self.settled_owned
        else:
            return False
        return all(math.dist(xy, place) > reach for place, reach in settled)

    def mark_turned_cells(self, view: View) -> None:
        """Set ``view.turned`` to the cells that plainly show another face than before.

        Their readings count as new.
        """
        turned = set()
        for cell, reading in view.cells.items():
            if view.log_tile[cell] <= 0 or reading.covered > PARAMS.hand_share or cell not in self.faces:
                continue
            best, was = float(reading.log_probs.max()), self.faces[cell]
            if best - view.face(cell, *was) > PARAMS.turned_nats:
                turned.add(cell)
                self.looks.pop(cell, None)
        view.turned = frozenset(turned)
        view.novelty = {**view.novelty, **dict.fromkeys(turned, 1.0)}

    def forget(self, but: Collection[Cell]) -> None:
        """Count the next readings of all cells except ``but`` as new."""
        self.looks = {cell: number for cell, number in self.looks.items() if cell in but}


def _is_around(cell: Cell, xy: Point) -> bool:
    """Whether a point lies on a cell or within ``hides_sides`` of it."""
    return max(abs(xy[0] - cell[0] - 0.5), abs(xy[1] - cell[1] - 0.5)) < 0.5 + PARAMS.hides_sides


def view_of(
    observation: Observation,
    lattice: LatticeFrame,
    known: Collection[Cell],
    colors: Collection[str],
    before: ReadingHistory,
) -> View:
    """Return an observation as a view in the game's frame, with ``busy``, ``turned`` and novelties set.

    ``known`` are cells that certainly hold tiles; ``colors`` are those of the players. Updates the usual
    hidden shares in ``before``.
    """
    cells = {lattice.cell(cell): reading for cell, reading in observation.cells.items()}
    owned_points = [lattice.point(piece.lattice_xy) for piece in observation.pieces if piece.kind in OWNED]
    tokens = [hint for hint in observation.hints if hint.kind == "token"]
    others = [hint for hint in observation.hints if hint.kind != "token"]
    hints = (*before.prints.confirmed_hints(tokens, lattice, cells, owned_points), *others)
    pieces = tuple(
        _seen_piece(reading, lattice.point(reading.lattice_xy), observation, cells, colors, before)
        for reading in (*observation.pieces, *hints)
        if not before.is_settled_clutter(reading, lattice.point(reading.lattice_xy))
    )
    columns = {name: row for row, name in enumerate(observation.designs)}
    novelty = {cell: max(1.0 / (1 + before.looks.get(cell, 0)), PARAMS.least_novelty) for cell in cells}
    sure = [reading.log_tile for cell, reading in cells.items() if cell in known]
    doubt = max(PARAMS.new_tile_share * float(np.median(sure)), 0.0) if sure else 0.0
    log_tile = {cell: reading.log_tile - doubt for cell, reading in cells.items()}
    view = View(observation, lattice, cells, pieces, columns, novelty, log_tile)
    hidden = before.detect_hand(view, known)
    view.busy = hidden or observation.unsettled > PARAMS.unsettled_tiles
    if not view.busy:
        before.mark_turned_cells(view)
    return view


def _seen_piece(
    reading: PieceReading,
    xy: Point,
    observation: Observation,
    cells: Mapping[Cell, CellReading],
    colors: Collection[str],
    before: ReadingHistory,
) -> FramedPiece:
    """Return a piece reading at ``xy`` in the game's frame, with its novelty and its cost if unexplained."""
    cost = _unexplained_cost(reading)
    odd = reading.kind in OWNED and reading.color not in colors
    tile = cells.get(cell_of(xy))
    if reading.kind == "token" or (tile is not None and tile.log_tile > 0):
        novelty = before.novelty_of(reading, xy)
        return FramedPiece(reading, xy, cost * novelty if reading.confidence < LIKELY else cost, odd, novelty)
    novelty = before.outside_novelty(reading, xy, observation.t_s)
    return FramedPiece(reading, xy, novelty * cost, odd, novelty, beside=True)


def _is_token(reading: PieceReading) -> bool:
    """Whether a reading is an animal tile."""
    return reading.kind == "token"


def _is_faint(reading: PieceReading) -> bool:
    """Whether a reading is a player's piece that is probably not there."""
    return reading.kind in OWNED and reading.confidence < LIKELY


def _trait_key(reading: PieceReading) -> str:
    """Return the text "colour kind pose" of a reading, as a key."""
    return f"{reading.color} {reading.kind} {reading.pose}"


def _looks_near(xy: Point, known: Mapping[Point, int]) -> int:
    """Return the largest count in ``known`` within ``same_place_sides`` of ``xy``; 0 if none is near.

    ``known`` maps places to the number of pictures in a row with a reading there.
    """
    return max(
        (looks for place, looks in known.items() if math.dist(place, xy) < PARAMS.same_place_sides), default=0
    )


def _unexplained_cost(reading: PieceReading) -> float:
    """Return the cost in nats of treating a detection as false.

    Negative for a faint detection, unless it is a player's piece; at most ``unexplained_most_nats``.
    """
    sure = min(max(reading.confidence, 0.02), 0.98)
    person = reading.kind in OWNED
    factor, nats = (PARAMS.person_odds_factor, PARAMS.person_nats) if person else (1.0, 1.0)
    return min(factor * math.log(sure / (1 - sure)) + nats, PARAMS.unexplained_most_nats)
