"""Reading of a whole table from a few looks: its tiles and pieces, each with a probability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from engine.geometry import CORNERS, Cell, Corner, Point, cell_of
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE, OWNED, SORTS
from tilesight.inference.params import LIKELY, OPENING
from vision.board import SeenPiece, SolvedBoard, see_board
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation, PieceReading
from vision.pieces.feature_assignment import feature_at, feature_costs, kinds_of, takes_of

ShareT = TypeVar("ShareT", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """A piece as read.

    ``standing`` is where it is, ``others`` are the alternatives on the same tile, likeliest first, and
    ``confidence`` the probability that it is there at all.
    """

    standing: Standing
    confidence: float
    others: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table as read in some looks, the last of which is picture ``frame_index``.

    ``lattice`` is how that picture's lattice lies in the game's frame; ``doubtful`` are cells of tiles whose
    face is not sure.
    """

    board: Mapping[Cell, Laid]
    pieces: tuple[ReadPiece, ...]
    doubtful: tuple[Cell, ...]
    lattice: LatticeFrame
    frame_index: int

    def same_tiles(self, other: ReadTable | None) -> bool:
        """Whether both tables have tiles on the same cells; their faces may differ.

        False if ``other`` is None.
        """
        return other is not None and self.board.keys() == other.board.keys()


class TableReader:
    """Reads a table from its latest looks at rest, merged into one picture.

    ``first`` is the board before the first turn; its start tiles place the table in the game's frame.
    """

    def __init__(self, pack: Pack, players: Sequence[str], first: Mapping[Cell, Laid]) -> None:
        self._pack = pack
        self._players = players
        # A game may begin with another face than its pack says, and a face that is drawn later, too.
        self._start = {first[cell].design.id: cell for cell, _ in pack.start_designs if cell in first}
        self._looks: list[tuple[Observation, LatticeFrame]] = []

    def read(self, observation: Observation) -> ReadTable | None:
        """Return the table after one more look; None if no start tile is seen.

        Only a start tile places the table in the game's frame. If tiles came or went since the looks before,
        those are forgotten.
        """
        solved = see_board(observation, self._pack, self._start)
        if not self._placed(solved):
            return None
        looks = [*self._looks, (observation, solved.frame)][-OPENING.looks_at_most :]
        self._looks = looks
        merged = see_board(merged_looks(looks), self._pack, self._start) if len(looks) > 1 else solved
        table = self._table(merged, observation.frame_index) if self._placed(merged) else None
        if table is not None and len(looks) > 1 and table.board.keys() != solved.laid(self._pack).keys():
            # A tile was laid or taken away: earlier looks show another table.
            self._looks = looks[-1:]
            return self._table(solved, observation.frame_index)
        return table

    def forget(self) -> None:
        """Forget all looks, so that the next one is read alone."""
        self._looks = []

    def _placed(self, solved: SolvedBoard) -> bool:
        """Whether a start tile is among the solved tiles."""
        return any(tile.face is not None and tile.face.design in self._start for tile in solved.tiles)

    def _table(self, solved: SolvedBoard, frame_index: int) -> ReadTable:
        """Return the table that a solved board shows."""
        return table_of(solved, self._pack, self._players, frame_index)


def table_of(solved: SolvedBoard, pack: Pack, players: Sequence[str], frame_index: int = 0) -> ReadTable:
    """Return the table that a solved board shows: its known tiles, and the surest piece of each place.

    Readings that are no pieces of the game or at no legal place are left out. ``frame_index`` is the
    picture's.
    """
    board = solved.laid(pack)
    doubtful = tuple(t.cell for t in solved.tiles if t.face is None or t.confidence < OPENING.sure_face)
    pieces = _Pieces(pack, players, board)
    read = (pieces.read(p, solved.frame.point(p.reading.lattice_xy)) for p in solved.pieces)
    told = _perhaps_on_tokens([piece for piece in read if piece is not None])
    return ReadTable(board, _surest_per_place(told), doubtful, solved.frame, frame_index)


@dataclass(frozen=True)
class _Pieces:
    """Reader of the pieces on one board."""

    pack: Pack
    players: Sequence[str]
    board: Mapping[Cell, Laid]

    def read(self, seen: SeenPiece, xy: Point) -> ReadPiece | None:
        """Return a piece read at ``xy`` (game's frame); None if not of this game or at no legal place."""
        reading, cell = seen.reading, seen.cell
        if reading.kind not in kinds_of(self.pack):
            return None
        if cell is None and reading.kind in OWNED:
            return self._at_the_rim(reading, xy)
        if cell is None:
            return None
        if reading.kind in OUTSIDE:
            return ReadPiece(Standing(reading.kind, reading.color, cell), reading.confidence)
        if reading.kind not in OWNED:
            corner = seen.corner or self._corner(xy, cell)
            if corner is None:
                return None
            token = Standing("token", None, cell, corner=corner, animal=reading.animal)
            return ReadPiece(token, reading.confidence)
        color = _color(reading, self.players)
        if color is None or (seen.corner is None and seen.feature is None):
            return None
        standing = Standing(reading.kind, color, cell, seen.feature, seen.corner)
        others = () if seen.corner is not None else self._others(standing, xy)
        return ReadPiece(standing, reading.confidence, others)

    def _at_the_rim(self, reading: PieceReading, xy: Point) -> ReadPiece | None:
        """Return a player's piece that was read just beside a tile as a piece on that tile.

        None if no tile is near or its colour is not in play.
        """
        within = OPENING.spread_sides
        ways = ((within, 0.0), (0.0, within), (-within, 0.0), (0.0, -within))
        for point in ((xy[0] + east, xy[1] + south) for east, south in ways):
            laid, color = self.board.get(cell_of(point)), _color(reading, self.players)
            if laid is None or color is None:
                continue
            x, y = cell = cell_of(point)
            uv, takes = (point[0] - x, point[1] - y), takes_of(self.pack)
            feature = feature_at(laid.design, laid.rot, uv, takes, reading.kind, reading.pose)
            standing = Standing(reading.kind, color, cell, feature)
            return ReadPiece(standing, reading.confidence, self._others(standing, xy))
        return None

    def _corner(self, xy: Point, cell: Cell) -> Corner | None:
        """Return the corner that an animal tile at ``xy`` covers; None if no corner's spot is near enough."""
        spots = {corner: self.pack.token_spot(corner) for corner in CORNERS}
        off = {corner: math.dist(xy, (cell[0] + u, cell[1] + v)) for corner, (u, v) in spots.items()}
        nearest = min(off, key=lambda corner: off[corner])
        return nearest if off[nearest] < OPENING.token_reach_sides else None

    def _others(self, standing: Standing, xy: Point) -> tuple[Standing, ...]:
        """Return the same piece on each other feature of its tile, nearest to ``xy`` first."""
        laid, (x, y) = self.board[standing.cell], standing.cell
        costs: dict[str, float] = {}
        for kind, pose in SORTS:
            if kind == standing.kind:
                uv = (xy[0] - x, xy[1] - y)
                found = feature_costs(laid.design, laid.rot, uv, takes_of(self.pack), kind, pose)
                costs = {name: min(cost, costs.get(name, math.inf)) for name, cost in found.items()} | {
                    name: cost for name, cost in costs.items() if name not in found
                }
        near = sorted(costs, key=lambda name: costs[name])
        return tuple(standing._replace(feature=name) for name in near if name != standing.feature)


def merged_looks(looks: Sequence[tuple[Observation, LatticeFrame]]) -> Observation:
    """Merge several looks at one table into one observation, in the last look's lattice.

    ``looks`` pairs each observation with how its lattice lies in the game's frame.
    """
    last, frame = looks[-1]
    cells = dict[Cell, CellReading]()
    for cell in _cells_mostly_seen(looks):
        readings = [(look.cells[at], f) for look, f in looks if (at := f.lattice_cell(cell)) in look.cells]
        cells[frame.lattice_cell(cell)] = _mean_reading(readings, frame.lattice_cell(cell), frame)
    pieces = list(_mean_pieces(looks))
    return replace(
        last,
        cells=cells,
        pieces=tuple(piece for piece in pieces if piece.confidence >= LIKELY),
        hints=tuple(piece for piece in pieces if piece.confidence < LIKELY),
    )


def _cells_mostly_seen(looks: Sequence[tuple[Observation, LatticeFrame]]) -> list[Cell]:
    """Return the cells that at least half of the looks read."""
    counts = Counter(frame.cell(cell) for look, frame in looks for cell in look.cells)
    return [cell for cell, number in counts.items() if 2 * number >= len(looks)]


def _mean_reading(
    readings: Sequence[tuple[CellReading, LatticeFrame]], cell: Cell, frame: LatticeFrame
) -> CellReading:
    """Return the mean of ``readings`` of one cell, each with its lattice's frame, as ``cell`` of ``frame``.

    The log-probabilities are averaged; the hidden share is the least of all.
    """
    here = [reading.turned(frame.quarter_turns - own.quarter_turns) for reading, own in readings]
    mean = np.mean([reading.log_probs for reading in here], axis=0)
    mean -= np.logaddexp.reduce(mean, axis=None)
    last, own = readings[-1]
    return replace(
        here[-1],
        cell=cell,
        corners_px=np.roll(last.corners_px, own.quarter_turns - frame.quarter_turns, axis=0),
        log_probs=mean.astype(np.float32),
        log_tile=float(np.mean([reading.log_tile for reading in here])),
        covered=min(reading.covered for reading in here),
        print_known=max(reading.print_known for reading in here),
    )


def _mean_pieces(looks: Sequence[tuple[Observation, LatticeFrame]]) -> Iterator[PieceReading]:
    """Yield the pieces and hints of some looks, merged by place, in the last look's lattice.

    A look that misses a piece lowers its confidence.
    """
    groups: list[list[tuple[int, PieceReading, Point]]] = []
    for number, (look, frame) in enumerate(looks):
        for reading in (*look.pieces, *look.hints):
            xy = frame.point(reading.lattice_xy)
            near = [
                group
                for group in groups
                if _alike(group[0][1], reading)
                and all(one != number for one, _, _ in group)
                and math.dist(group[0][2], xy) < 2 * OPENING.same_place_sides
            ]
            best = min(near, key=lambda group: math.dist(group[0][2], xy), default=None)
            if best is None:
                groups.append([(number, reading, xy)])
            else:
                best.append((number, reading, xy))
    frame = looks[-1][1]
    for group in groups:
        best_look = max(group, key=lambda item: (item[1].confidence >= LIKELY, item[0]))[1]
        x, y = (float(np.mean([xy[i] for _, _, xy in group])) for i in (0, 1))
        colors = _mean_shares([reading.color_probs for _, reading, _ in group])
        sorts = _mean_shares([reading.sort_probs for _, reading, _ in group])
        animals = _mean_shares([reading.animal_probs for _, reading, _ in group])
        poses = Counter(reading.pose for _, reading, _ in group)
        seen = Counter(reading.animal for _, reading, _ in group if reading.animal is not None)
        yield replace(
            best_look,
            pose=poses.most_common(1)[0][0],
            lattice_xy=frame.lattice_point((x, y)),
            confidence=_mean_confidence([reading for _, reading, _ in group], len(looks)),
            color=max(colors, key=lambda name: colors[name]) if colors else best_look.color,
            color_probs=colors,
            sort_probs=sorts,
            animal=max(animals, key=lambda name: animals[name])
            if animals
            else (seen.most_common(1)[0][0] if seen else None),
            animal_probs=animals,
        )


def _mean_confidence(seen: Sequence[PieceReading], looks: int) -> float:
    """Return the probability that a piece is there, by its readings ``seen`` in some of ``looks`` looks.

    A very faint reading counts against it as much as a miss.
    """
    nats = -OPENING.missed_piece_nats * (looks - len(seen))
    for reading in seen:
        sure = min(max(reading.confidence, OPENING.least_sure), 1.0 - OPENING.least_sure)
        there = OPENING.person_nats if reading.kind in OWNED else 1.0
        odds = math.log(sure / (1.0 - sure)) + (there if sure >= LIKELY else 0.0)
        nats += min(max(odds, -OPENING.missed_piece_nats), OPENING.unexplained_most_nats)
    return 1.0 / (1.0 + math.exp(-nats / looks))


def _alike(one: PieceReading, other: PieceReading) -> bool:
    """Whether two readings may be of the same piece: equal kinds, or both of kinds that players own."""
    return one.kind == other.kind or (one.kind in OWNED and other.kind in OWNED)


def _mean_shares(shares: Sequence[Mapping[ShareT, float]]) -> dict[ShareT, float]:
    """Return the mean of some probabilities by name, over those that are not empty; empty if all are."""
    told = [one for one in shares if one]
    names = dict.fromkeys(name for one in told for name in one)
    return {name: math.fsum(one.get(name, 0.0) for one in told) / len(told) for name in names}


def _color(reading: PieceReading, players: Sequence[str]) -> str | None:
    """Return the colour of the player whose piece was read; None for a colour that is not in play."""
    shares = {name: reading.color_probs.get(name, 0.0) for name in players}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] > 0.0 and reading.color in (*players, None):
        return best
    return reading.color if reading.color in players else None


def _perhaps_on_tokens(pieces: Sequence[ReadPiece]) -> list[ReadPiece]:
    """Return the pieces; each meeple on a feature may also be on an animal tile at a corner of its tile.

    That alternative comes first in its ``others``.
    """
    tokens = [piece.standing for piece in pieces if piece.standing.kind == "token"]
    told = []
    for piece in pieces:
        standing = piece.standing
        corners = [token.corner for token in tokens if token.cell == standing.cell]
        if standing.kind == "meeple" and standing.feature is not None:
            on = [standing._replace(feature=None, corner=corner) for corner in corners]
            piece = replace(piece, others=(*on, *piece.others))
        told.append(piece)
    return told


def _surest_per_place(pieces: Sequence[ReadPiece]) -> tuple[ReadPiece, ...]:
    """Return the surest piece of each place: at most one player's piece and one animal tile.

    A place is a corner of a tile, or the rest of the tile. Animal tiles with a hidden face come last.
    """
    best: dict[tuple[object, ...], ReadPiece] = {}
    hidden = {id(one): one.standing.kind == "token" and one.standing.animal is None for one in pieces}
    for piece in sorted(pieces, key=lambda one: (hidden[id(one)], -one.confidence)):
        standing = piece.standing
        best.setdefault((standing.kind in OWNED, standing.cell, standing.corner), piece)
    return tuple(best.values())
