"""Evidence: log-likelihood of what a table has looked like, given a history.

Each epoch (`tilesight.inference.histories.appearances`) counts once, for the time during which the history
has something at its place. All values are in nats against a table where nothing was laid: only differences
between histories mean anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from engine.geometry import Cell, Point, cell_of
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.foreign import MARK, is_foreign
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.histories.appearances import Appearances, PieceEpoch, PieceTrack, TileEpoch
from tilesight.inference.histories.candidates import Pieces
from tilesight.inference.histories.look import LEAST_LOG, LogProbs
from tilesight.inference.histories.look_params import LIKELY
from tilesight.inference.histories.look_params import PARAMS as VIEW
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.places import distance_to_place
from tilesight.inference.histories.timing import forgotten, still_to_come, unseen
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of

KeyT = TypeVar("KeyT")
SUREST = 0.985
"""Probability: most that a detection on a monastery is trusted."""
DETECTED = ((0.02, 0.3, 0.7, 0.9, 0.97), (-3.0, -1.0, 0.0, 1.5, 5.5))
"""Confidences of a detection, and the evidence in nats for a player's piece at each. Measured on photographs of
a game and of three boards: of 107 pieces 99 are detected with 0.97 or more, of 321 bare tiles 3."""
NOW = 1 << 30
"""Look number after every look."""


class Placed(NamedTuple):
    """When a piece was placed, by look numbers: the ``first`` look that shows its tile, the ``earliest`` that
    may have shown it, and the first look that shows the next turn's tile (``deadline``, None before that)."""

    first: int = 0
    earliest: int = 0
    deadline: int | None = 0


AT_THE_START = Placed()
"""A piece that stood there before the first open turn."""


class Options(NamedTuple):
    """How a piece may have been seen: the cost in nats of its not being detected at all (``missed``), and
    what each track gains against that, best first. ``timed`` marks values that change with time alone."""

    missed: float
    gains: tuple[tuple[float, PieceTrack], ...]
    timed: bool


class Evidence:
    """Log-likelihoods of tiles and pieces, from the appearances of one table."""

    def __init__(self, seen: Appearances, pack: Pack, players: Sequence[str], kinds: Iterable[str]) -> None:
        self._seen = seen
        self._pack = pack
        self._players = players
        self._kinds = frozenset(kinds)
        self._options: dict[tuple[object, ...], tuple[int, int, Options]] = {}
        self._gone: dict[tuple[object, ...], tuple[int, int, float]] = {}
        self._faces: dict[Cell, tuple[LogProbs, LogProbs]] = {}

    # -- tiles

    def lies(self, cell: Cell) -> float:
        """Gain in nats of a tile of the history at a cell, against an unexplained one there."""
        memory = self._seen.cells.get(cell)
        if memory is None or memory.tile is None:
            return 0.0
        bound = PARAMS.tile_bound_nats
        if memory.lies:
            return min(memory.tile.log_tile - PARAMS.bare_nats, bound)
        return -PARAMS.absent_tile_nats

    def overlooked(self, cell: Cell) -> float:
        """Cost in nats of a tile that lay at a cell and was not detected for a while: the plainer it is, the
        more."""
        memory = self._seen.cells.get(cell)
        log_tile = memory.tile.log_tile if memory is not None and memory.tile is not None else 0.0
        return PARAMS.overlooked_nats + max(log_tile, 0.0)

    def face(self, cell: Cell, design: str, rot: int) -> float:
        """Log-probability of a face at a cell where some tile lies, by its tempered reading."""
        memory = self._seen.cells.get(cell)
        if memory is None or memory.tile is None:
            return 0.0
        faces = self._tempered(cell, memory.tile)
        if is_foreign(design):
            design, rot = MARK, 0
        row = self._seen.designs.get(design)
        return (
            -PARAMS.face_most_nats if row is None or row >= len(faces) else float(faces[row, rot // 90 % 4])
        )

    def _tempered(self, cell: Cell, tile: TileEpoch) -> LogProbs:
        """Log-probabilities of the faces at a cell, tempered, each at most ``face_most_nats`` below the best
        before all are normalised."""
        known = self._faces.get(cell)
        if known is None or known[0] is not tile.faces:
            logs = tile.faces - tile.faces.max()
            if tile.occupied:  # a piece may hide what tells twins apart, and no more
                logs = logs + PARAMS.hidden_share * np.minimum(-logs, PARAMS.hidden_most_nats)
            logs = np.where(logs < -PARAMS.face_cut_nats, LEAST_LOG, face_power(tile) * logs)
            # A face that the reading leaves out is as unlikely as a misreading, shared by all of those.
            spread = -PARAMS.face_most_nats - math.log(logs.size)
            logs = np.logaddexp(logs, spread)
            known = self._faces[cell] = (tile.faces, logs - np.logaddexp.reduce(logs, axis=None))
        return known[1]

    def likely_faces(self, cell: Cell) -> list[tuple[str, int]]:
        """The faces that a cell may show, likeliest first: (design, rot)."""
        tile = self._tile(cell)
        names = {row: name for name, row in self._seen.designs.items()}
        near = tile.faces >= tile.faces.max() - PARAMS.face_cut_nats
        found = sorted(zip(*np.nonzero(near), strict=True), key=lambda at: -tile.faces[at])
        return [(names[int(row)], 90 * int(turn)) for row, turn in found]

    def _tile(self, cell: Cell) -> TileEpoch:
        tile = self._seen.cells[cell].tile
        assert tile is not None
        return tile

    # -- pieces on the table

    def standing(self, pieces: Mapping[Standing, Placed], board: Mapping[Cell, Laid]) -> float:
        """Log-likelihood of all that was detected at the pieces that stand, each detection for one piece."""
        total = 0.0
        taken: set[PieceTrack] = set()
        shared = False
        every: list[Options] = []
        for piece, placed in pieces.items():
            options = self.options(piece, placed, board.get(piece.cell))
            every.append(options)
            total -= options.missed
            if options.gains:
                gain, track = options.gains[0]
                total += gain
                shared |= track in taken
                taken.add(track)
        return total if not shared else _matched(every)

    def options(self, piece: Standing, placed: Placed, laid: Laid | None) -> Options:
        """How a piece that stands may have been seen since it was placed."""
        key = (piece, placed, laid.design.id if laid else "", laid.rot if laid else 0)
        version, now = self._seen.version(piece.cell), len(self._seen.times)
        known = self._options.get(key)
        if known is None or known[0] != version or (known[2].timed and known[1] != now):
            known = self._options[key] = (version, now, self._options_of(piece, placed, laid))
        return known[2]

    def _options_of(self, piece: Standing, placed: Placed, laid: Laid | None) -> Options:
        missed, timed = self._missed(piece, placed), placed.deadline is None
        gains = []
        for track in self._seen.near(piece.cell):
            used = [epoch for epoch in track.epochs if epoch.last >= placed.earliest]
            if not used:
                continue
            match = self._match(laid, piece, track, used)
            if match == -math.inf:
                continue
            apart = PARAMS.missed_piece_nats if any(one.gone is not None for one in used) else 0.0
            gain = (
                match + self._explained(track, used) - self._early_or_late(used[0], placed) - apart + missed
            )
            if gain > 0:
                gains.append((gain, track))
        gains.sort(key=lambda item: -item[0])
        return Options(missed, tuple(gains), timed)

    def _missed(self, piece: Standing, placed: Placed) -> float:
        """Cost in nats of a piece that stands and was never detected."""
        memory = self._seen.cells.get(piece.cell)
        shown = memory is not None and memory.is_shown(placed.first, NOW)
        if memory is None and piece.kind in OUTSIDE:
            look = self._seen.look
            shown = look is not None and look.shows(piece.cell)
        if not shown:
            return 0.0
        nats = self._missable(piece)
        if placed.deadline is None:
            waits = still_to_come(self._since(placed.first))
            return -math.log(waits + (1.0 - waits) * math.exp(-nats))
        return nats

    def _missable(self, piece: Standing) -> float:
        memory = self._seen.cells.get(piece.cell)
        covered = memory.tile.covered if memory is not None and memory.tile is not None else 0.0
        nats = PARAMS.missed_piece_nats * (1.0 - covered)
        if piece.kind != "token":
            return nats
        near = min(
            (
                distance_to_place(None, piece, epoch.xy, self._pack)
                for epoch in self._seen.near(piece.cell)
                if epoch.sort != "token" and epoch.epochs[-1].reading.confidence >= LIKELY
            ),
            default=math.inf,
        )
        if near < VIEW.same_place_sides:
            return min(nats, PARAMS.missed_under_nats)
        return min(nats, PARAMS.missed_behind_nats) if near < VIEW.hides_sides else nats

    def _match(
        self, laid: Laid | None, piece: Standing, track: PieceTrack, used: Sequence[PieceEpoch]
    ) -> float:
        """Fit of a track to a piece in nats: 0 is perfect, -inf too far away."""
        distance = distance_to_place(laid, piece, track.xy, self._pack)
        if distance > PARAMS.reach_sides:
            return -math.inf
        nearest = (
            self._nearest(laid, piece, track.xy) if laid is not None and piece.feature is not None else 0.0
        )
        on_feature = piece.kind == "token" and piece.feature is not None
        spread = VIEW.token_spread_sides if on_feature else PARAMS.spread_sides
        weight = sum(epoch.equal for epoch in used)
        traits = sum(epoch.equal * self._traits_cost(piece, epoch) for epoch in used) / weight
        off = 1.5 * math.log1p((distance / spread) ** 2)
        # A piece on a tile stands on some feature of it, however far people put it from the drawing.
        excused = PARAMS.somewhere_share * 1.5 * math.log1p((min(nearest, distance) / spread) ** 2)
        return excused - off - traits - self._roof(laid, piece, used)

    def _roof(self, laid: Laid | None, piece: Standing, used: Sequence[PieceEpoch]) -> float:
        """Cost in nats of a doubtful detection where a building is printed, which looks like a piece."""
        feature = laid.design.tile.feature(piece.feature) if laid is not None and piece.feature else None
        if feature is None or feature.kind != "monastery":
            return 0.0
        sure = min(max(max(epoch.reading.confidence for epoch in used), 0.02), SUREST)
        return max(PARAMS.roof_nats - PARAMS.roof_power * math.log(sure / (1.0 - sure)), 0.0)

    def _nearest(self, laid: Laid, piece: Standing, xy: Point) -> float:
        """Distance in tile sides from a contact point on a tile to the nearest feature."""
        if cell_of(xy) != piece.cell:
            return 0.0
        x, y = piece.cell
        costs = feature_costs(
            laid.design, laid.rot, (xy[0] - x, xy[1] - y), takes_of(self._pack), piece.kind, piece.pose
        )
        return min(costs.values(), default=0.0)

    def _traits_cost(self, piece: Standing, epoch: PieceEpoch) -> float:
        reading = epoch.reading
        if piece.kind in OWNED and reading.kind in OWNED:
            return sort_cost(reading, piece, self._kinds) + color_cost(reading, piece.color, self._players)
        if reading.kind != piece.kind:
            if epoch.odd:
                return PARAMS.odd_piece_nats
            beside = piece.kind in OUTSIDE and reading.kind in OWNED and epoch.beside
            return PARAMS.wrong_kind_nats / 2 if beside else PARAMS.wrong_kind_nats
        return animal_cost(reading, piece.animal)

    def _explained(self, track: PieceTrack, used: Sequence[PieceEpoch]) -> float:
        """Nats that it would cost to leave these epochs of a track unexplained. What comes back after an
        instant is the same thing, and costs once."""
        total = 0.0
        for stay in _stays(track.epochs):
            costs = [self._unexplained(track, epoch) for epoch in stay if epoch in used]
            left = [self._unexplained(track, epoch) for epoch in stay if epoch not in used]
            if costs:
                total += max(costs) - max([*left, 0.0])
        return total

    def _unexplained(self, track: PieceTrack, epoch: PieceEpoch) -> float:
        on_tile = not epoch.beside and self._on_tile(cell_of(track.xy))
        if not on_tile and not self._beside_tile(
            track, 1.0 if epoch.reading.kind in OUTSIDE else PARAMS.spread_sides
        ):
            return 0.0
        return unexplained_cost(epoch.reading)

    def _on_tile(self, cell: Cell) -> bool:
        memory = self._seen.cells.get(cell)
        return memory is not None and memory.tile is not None and memory.lies

    def _beside_tile(self, track: PieceTrack, within: float) -> bool:
        x, y = track.xy
        ways = ((within, 0.0), (0.0, within), (-within, 0.0), (0.0, -within))
        return any(self._on_tile(cell_of((x + east, y + south))) for east, south in ways)

    def _early_or_late(self, epoch: PieceEpoch, placed: Placed) -> float:
        """Cost in nats of a piece's first detection before its tile was laid, or after its first look."""
        if epoch.first < placed.earliest:
            return PARAMS.early_nats
        if epoch.first <= placed.first:
            return 0.0
        times = self._seen.times
        late = -math.log(still_to_come(max(times[epoch.first - 1] - times[placed.first], 0.0)))
        if placed.deadline is not None and epoch.first > placed.deadline:
            late += PARAMS.after_next_nats
        return late

    def _since(self, look: int) -> float:
        return self._seen.times[-1] - self._seen.times[look]

    # -- pieces that went home

    def gone_home(self, piece: Standing, placed: Placed, laid: Laid | None, turn: Placed) -> float:
        """Log-likelihood of what was seen of a piece that ``turn`` sent home."""
        key = (piece, placed, laid.design.id if laid else "", laid.rot if laid else 0, turn)
        version, now = self._seen.version(piece.cell), len(self._seen.times)
        known = self._gone.get(key)
        if known is None or known[:2] != (version, now):
            known = self._gone[key] = (version, now, self._gone_home(piece, placed, laid, turn))
        return known[2]

    def _gone_home(self, piece: Standing, placed: Placed, laid: Laid | None, turn: Placed) -> float:
        at_once = placed.first == turn.first
        best = -self._never_seen(piece, placed, turn, at_once=at_once)
        for track in self._seen.near(piece.cell):
            used = [
                epoch
                for epoch in track.epochs
                if epoch.last >= placed.earliest and (epoch.first < turn.first or at_once)
            ]
            if not used:
                continue
            match = self._match(laid, piece, track, used)
            if match == -math.inf:
                continue
            early = self._early_or_late(used[0], placed)
            leaving = self._leaving(piece, used[-1], turn, since=max(used[0].first, turn.first))
            apart = PARAMS.missed_piece_nats if len(used) > 1 else 0.0
            best = max(best, match + self._explained(track, used) - early - leaving - apart)
        return best

    def _never_seen(self, piece: Standing, placed: Placed, turn: Placed, *, at_once: bool) -> float:
        memory = self._seen.cells.get(piece.cell)
        if not at_once:
            shown = memory is not None and memory.is_shown(placed.first, turn.earliest)
            return self._missable(piece) if shown else 0.0
        times = self._seen.times
        before_s = times[turn.first] - times[turn.earliest - 1] if turn.earliest > 0 else 0.0
        after_s = times[turn.first + 1] - times[turn.first] if turn.first + 1 < len(times) else 0.0
        chance = unseen(max(before_s, after_s))
        if turn.deadline is None:
            chance += still_to_come(self._since(turn.first))
        return -math.log(min(chance, 1.0))

    def _leaving(self, piece: Standing, epoch: PieceEpoch, turn: Placed, since: int) -> float:
        """Cost in nats of when a piece was last seen, against when its turn sent it home."""
        if epoch.gone is not None and epoch.gone < turn.earliest:
            return PARAMS.missed_piece_nats
        if epoch.last <= turn.first or epoch.last < since:
            return 0.0
        after_s = self._seen.times[epoch.last] - self._seen.times[since]
        if piece.kind in OUTSIDE:  # moved, not scored: its move is the turn
            return -math.log(still_to_come(after_s))
        return -math.log(forgotten(after_s))

    # -- when

    def tile_looks(self, cell: Cell) -> tuple[int, int]:
        """The first look that shows the tile at a cell, and the earliest that may have shown it."""
        tile = self._tile(cell)
        return tile.first, tile.earliest

    def finished_at(
        self,
        at: Placed,
        before: Mapping[Standing, Placed],
        standing: Mapping[Standing, Placed],
        pieces: Pieces,
        board: Mapping[Cell, Laid],
    ) -> int | None:
        """The first look that shows a turn finished: its pieces stand, and scored pieces are gone. None
        before that. ``at`` are the looks between which its tile was laid, ``before`` and ``standing`` when
        the pieces that stood before and after it were placed."""
        look = at.first
        for piece in pieces.placed & pieces.rest:
            gains = self.options(piece, standing[piece], board.get(piece.cell)).gains
            if gains:
                look = max(look, self._used(gains[0][1], at)[0].first)
            elif piece.kind in OUTSIDE and standing[piece].deadline is None:
                return None  # it is in somebody's hand
        for piece in pieces.gone:
            placed = before.get(piece, at)._replace(deadline=at.first)
            for _, track in self.options(piece, placed, board.get(piece.cell)).gains[:1]:
                epochs = [
                    epoch
                    for epoch in self._used(track, at)
                    if epoch.first < at.first or placed.first == at.first
                    if _alike(epoch.reading.kind, piece.kind)
                ]
                if epochs and epochs[-1].gone is None:
                    return None
                look = max([look, *(epoch.gone or 0 for epoch in epochs)])
        return look

    def _used(self, track: PieceTrack, placed: Placed) -> list[PieceEpoch]:
        return [epoch for epoch in track.epochs if epoch.last >= placed.earliest]


def _stays(epochs: Sequence[PieceEpoch]) -> list[list[PieceEpoch]]:
    """Epochs in groups of the same thing."""
    stays: list[list[PieceEpoch]] = []
    for epoch in epochs:
        if stays and epoch.again:
            stays[-1].append(epoch)
        else:
            stays.append([epoch])
    return stays


def _alike(kind: str, other: str) -> bool:
    return kind == other or (kind in OWNED and other in OWNED)


def _matched(every: Sequence[Options]) -> float:
    """Evidence of a greedy one-to-one match of pieces with tracks."""
    terms = [-options.missed for options in every]
    pairs = sorted(
        ((gain, i, track) for i, options in enumerate(every) for gain, track in options.gains),
        key=lambda item: -item[0],
    )
    taken: set[int] = set()
    used: set[PieceTrack] = set()
    for gain, i, track in pairs:
        if i not in taken and track not in used:
            taken.add(i)
            used.add(track)
            terms.append(gain)
    return math.fsum(terms)


def unexplained_cost(reading: PieceReading) -> float:
    """Cost in nats of a detection that no piece of the history explains."""
    if reading.kind in OWNED:
        return float(np.interp(reading.confidence, *DETECTED))
    sure = min(max(reading.confidence, 0.02), 0.985)
    return math.log(sure / (1.0 - sure)) + 1.0


def face_power(tile: TileEpoch) -> float:
    """Exponent by which a reading of a face is tempered: the more of it is hidden, or looks otherwise than
    the known print, the less it says."""
    return PARAMS.face_power * min(max(1.0 - 2.4 * (tile.covered - 0.25), 0.2), 1.0)


def animal_cost(reading: PieceReading, animal: str | None) -> float:
    """Cost in nats of reading the animal tile as ``animal`` rather than the likeliest animal."""
    if animal is None or reading.animal is None:
        return 0.0
    if not reading.animal_probs:
        return 0.0 if reading.animal == animal else PARAMS.trait_most_nats
    return _cost(reading.animal_probs, animal, PARAMS.trait_most_nats)


def sort_cost(reading: PieceReading, piece: Standing, kinds: Iterable[str]) -> float:
    """Cost in nats of reading a player's piece as one of the kind and pose of ``piece``."""
    if reading.kind not in kinds:
        return PARAMS.odd_piece_nats
    shares = {sort: share for sort, share in reading.sort_probs.items() if sort[0] in kinds}
    if shares.get((piece.kind, piece.pose), 0.0) > 0:
        return _cost(shares, (piece.kind, piece.pose), PARAMS.sort_most_nats)
    if reading.kind != piece.kind:
        return PARAMS.sort_most_nats
    return PARAMS.sort_most_nats if reading.pose != piece.pose else 0.0


def color_cost(reading: PieceReading, color: str | None, colors: Sequence[str]) -> float:
    """Cost in nats of reading the piece as one of ``color`` rather than the likeliest colour in play."""
    shares = {name: share for name, share in reading.color_probs.items() if name in colors}
    if color is None or not shares:
        return 0.0 if color in (None, reading.color) else PARAMS.trait_most_nats
    return _cost(shares, color, PARAMS.trait_most_nats)


def _cost(shares: Mapping[KeyT, float], key: KeyT, most: float) -> float:
    share = shares.get(key, 0.0)
    return min(math.log(max(shares.values()) / share), most) if share > 0 else most
