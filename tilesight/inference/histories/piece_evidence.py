"""Piece evidence: log-likelihood of a history's pieces, given the detections at their places.

Each epoch (`tilesight.inference.histories.appearances`) counts once, for the time during which the history
has a piece at its place. All values are in nats relative to a table without pieces; only differences between
histories are meaningful.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.geometry import Cell, cell_of
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.histories.appearances import AVERAGED, Appearances, PieceEpoch, PieceTrack
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.piece_match import REPEATED, PieceMatch
from tilesight.inference.histories.timing import still_standing, still_to_come, unseen_between
from tilesight.inference.likelihood import distance_to_place
from tilesight.inference.view_params import LIKELY
from tilesight.inference.view_params import PARAMS as VIEW

NOW = 1 << 30
"""Look number after every look."""


class PlacingTime(NamedTuple):
    """Time at which a piece was placed, by look numbers.

    ``first`` is the first look that shows its tile, ``earliest`` the earliest that may have shown it.
    ``deadline`` is the first look that shows the next turn's tile, None before that.
    """

    first: int = 0
    earliest: int = 0
    deadline: int | None = 0


AT_THE_START = PlacingTime()
"""A piece that was on the table before the first open turn."""


@dataclass(slots=True, eq=False)
class StandingPiece:
    """A piece that some histories have on the table, and the cached evidence for it.

    ``laid`` is the tile under it. ``missed`` is the cost in nats if no track shows it, ``gains`` what each
    track gains over that, best first, ``best`` the log-likelihood with the best track. All hold for look
    ``known`` and for the ``version`` of the cell's appearance. If ``timed``, they change with every look.
    """

    piece: Standing
    placed: PlacingTime
    laid: Laid | None
    missed: float = 0.0
    gains: tuple[tuple[float, PieceTrack], ...] = ()
    best: float = 0.0
    known: int = -1
    version: int = -1
    timed: bool = False


class PieceEvidence:
    """Log-likelihoods in nats of the pieces of all histories of one table."""

    def __init__(self, seen: Appearances, pack: Pack, match: PieceMatch) -> None:
        self._seen = seen
        self._pack = pack
        self._match = match
        self._standing: dict[tuple[object, ...], StandingPiece] = {}
        self._gone: dict[tuple[object, ...], tuple[int, int, float]] = {}

    def piece(self, piece: Standing, placed: PlacingTime, laid: Laid | None) -> StandingPiece:
        """Return the cached `StandingPiece`, shared by all histories with the same piece, time and tile."""
        key = (piece, placed, laid.design.id if laid else "", laid.rot if laid else 0)
        known = self._standing.get(key)
        if known is None:
            known = self._standing[key] = StandingPiece(piece, placed, laid)
        return known

    def standing(self, pieces: Sequence[StandingPiece]) -> float:
        """Return the log-likelihood (nats) of all detections of ``pieces``, each track for one piece only."""
        now = len(self._seen.times)
        for one in pieces:
            if one.known != now:
                self._refresh(one, now)
        tracks = [one.gains[0][1] for one in pieces if one.gains]
        if len(set(tracks)) < len(tracks):
            return _matched(pieces)
        # The exact sum: equally likely histories weigh exactly the same, in whatever order sets hold pieces.
        return math.fsum([one.best for one in pieces])

    def gains(
        self, piece: Standing, placed: PlacingTime, laid: Laid | None
    ) -> Sequence[tuple[float, PieceTrack]]:
        """Return (gain, track), best first: how much likelier, in nats, the piece is if the track shows it.

        The gain is over a piece that no detection shows; tracks without a gain are left out.
        """
        one = self.piece(piece, placed, laid)
        self._refresh(one, len(self._seen.times))
        return one.gains

    def _refresh(self, one: StandingPiece, now: int) -> None:
        """Update the cached evidence of ``one`` if its cell's appearance changed or it depends on the time.

        ``now`` is the number of looks so far.
        """
        version = self._seen.version(one.piece.cell)
        if one.version != version or (one.timed and one.known != now):
            one.missed, one.timed = self._missed(one.piece, one.placed)
            one.gains = self._gains(one.piece, one.placed, one.laid, one.missed)
            one.best = (one.gains[0][0] if one.gains else 0.0) - one.missed
            one.version = version
        one.known = now

    def _gains(
        self, piece: Standing, placed: PlacingTime, laid: Laid | None, missed: float
    ) -> tuple[tuple[float, PieceTrack], ...]:
        """Return (gain in nats, track) of the tracks that may show a piece, best first; only positive gains.

        ``missed`` is the cost in nats of the piece if no track shows it.
        """
        gains = []
        for track in self._seen.near(piece.cell):
            used = _used(track, placed)
            match = self._match.fit(laid, piece, track, used) if used else -math.inf
            if match == -math.inf:
                continue
            apart = PARAMS.missed_piece_nats if any(one.gone is not None for one in used) else 0.0
            odd_times = self._early_or_late(used[0], placed) + apart
            gain = match + self._match.explained(track, used) - odd_times + missed
            if gain > 0:
                gains.append((gain, track))
        return tuple(sorted(gains, key=lambda item: -item[0]))

    def _missed(self, piece: Standing, placed: PlacingTime) -> tuple[float, bool]:
        """Return the cost in nats of a piece never detected, and whether it changes with every look."""
        memory = self._seen.cells.get(piece.cell)
        looks = 0 if memory is None else memory.looks(placed.first, NOW)
        if memory is None and piece.kind in OUTSIDE:
            look = self._seen.look
            looks = int(look is not None and look.shows(piece.cell))
        timed = placed.deadline is None or looks < AVERAGED
        if not looks:
            return 0.0, timed
        nats = self._missable(piece, looks)
        if placed.deadline is None:
            waits = still_to_come(self._since(placed.first))
            nats = -math.log(waits + (1.0 - waits) * math.exp(-nats))
        return nats, timed

    def _missable(self, piece: Standing, looks: int) -> float:
        """Return the cost in nats of a piece that ``looks`` (1 to `AVERAGED`) looks fail to detect."""
        memory = self._seen.cells.get(piece.cell)
        covered = memory.tile.covered if memory is not None and memory.tile is not None else 0.0
        nats = PARAMS.missed_piece_nats * REPEATED[looks - 1] * (1.0 - covered)
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

    def _early_or_late(self, epoch: PieceEpoch, placed: PlacingTime) -> float:
        """Return the cost in nats of a first detection before the tile's arrival or after it; else 0."""
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
        """Return the seconds from look number ``look`` to the latest look."""
        return self._seen.times[-1] - self._seen.times[look]

    def to_explain(self, cell: Cell) -> float:
        """Return the most (nats) that a turn with a tile at ``cell`` may gain by pieces detected there."""
        tracks = [track for track in self._seen.near(cell) if cell_of(track.xy) == cell]
        return math.fsum(max(self._match.explained(track, track.epochs[-1:]), 0.0) for track in tracks)

    # -- pieces that went home

    def gone_home(self, piece: Standing, placed: PlacingTime, laid: Laid | None, turn: PlacingTime) -> float:
        """Return the log-likelihood (nats) of the detections of a piece that a turn sent home.

        ``placed`` and ``turn`` are the looks at which the piece and that turn's tile were laid, ``laid`` is
        the tile under the piece.
        """
        key = (piece, placed, laid.design.id if laid else "", laid.rot if laid else 0, turn)
        version, now = self._seen.version(piece.cell), len(self._seen.times)
        known = self._gone.get(key)
        if known is None or known[:2] != (version, now):
            known = self._gone[key] = (version, now, self._gone_home(piece, placed, laid, turn))
        return known[2]

    def _gone_home(self, piece: Standing, placed: PlacingTime, laid: Laid | None, turn: PlacingTime) -> float:
        """Compute :meth:`gone_home` without its cache."""
        at_once = placed.first == turn.first
        best = -self._never_seen(piece, placed, turn, at_once=at_once)
        for track in self._seen.near(piece.cell):
            used = [one for one in _used(track, placed) if one.first < turn.first or at_once]
            match = self._match.fit(laid, piece, track, used) if used else -math.inf
            if match == -math.inf:
                continue
            early = self._early_or_late(used[0], placed)
            leaving = self._leaving(piece, used[-1], turn, since=max(used[0].first, turn.first))
            apart = PARAMS.missed_piece_nats if len(used) > 1 else 0.0
            best = max(best, match + self._match.explained(track, used) - early - leaving - apart)
        return best

    def _never_seen(self, piece: Standing, placed: PlacingTime, turn: PlacingTime, *, at_once: bool) -> float:
        """Return the cost in nats of a piece that was placed and sent home without being detected.

        ``at_once`` is true if one turn did both.
        """
        memory = self._seen.cells.get(piece.cell)
        if not at_once:
            looks = 0 if memory is None else memory.looks(placed.first, turn.earliest)
            return self._missable(piece, looks) if looks else 0.0
        chance = unseen_between(self._seen.gap_s(turn.first, turn.earliest))
        if turn.deadline is None:
            chance += still_to_come(self._since(turn.first))
        return -math.log(min(chance, 1.0))

    def _leaving(self, piece: Standing, epoch: PieceEpoch, turn: PlacingTime, since: int) -> float:
        """Return the cost in nats of the time at which a piece was last seen; ``turn`` sent it home.

        It has a cost to be gone before that turn, or still there later than look ``since``.
        """
        if epoch.gone is not None and epoch.gone < turn.earliest:
            return PARAMS.missed_piece_nats
        if epoch.last <= turn.first or epoch.last < since:
            return 0.0
        after_s = self._seen.times[epoch.last] - self._seen.times[since]
        if piece.kind in OUTSIDE:  # moved, not scored: its move is the turn
            return -math.log(still_to_come(after_s))
        return -math.log(still_standing(after_s))

    def finished_at(
        self,
        at: PlacingTime,
        before: Mapping[Standing, PlacingTime],
        standing: Mapping[Standing, PlacingTime],
        gone: Collection[Standing],
        board: Mapping[Cell, Laid],
    ) -> int | None:
        """Return the number of the first look that shows a turn finished; None before that.

        The turn's pieces must be on the table and those that it sent home or moved gone. ``at`` are the looks
        between which its tile was laid; ``before`` and ``standing`` map the pieces before and after the turn
        to when they were placed.
        """
        look = at.first
        for piece in standing.keys() - before.keys():
            gains = self.gains(piece, standing[piece], board.get(piece.cell))
            if gains:
                look = max(look, _used(gains[0][1], at)[0].first)
            elif piece.kind in OUTSIDE and standing[piece].deadline is None:
                return None  # it is still in a player's hand
        for piece in gone:
            placed = before.get(piece, at)._replace(deadline=at.first)
            for _, track in self.gains(piece, placed, board.get(piece.cell))[:1]:
                epochs = [
                    epoch
                    for epoch in _used(track, at)
                    if epoch.first < at.first or placed.first == at.first
                    if _alike(epoch.reading.kind, piece.kind)
                ]
                if epochs and epochs[-1].gone is None:
                    return None
                look = max([look, *(epoch.gone or 0 for epoch in epochs)])
        return look


def _used(track: PieceTrack, placed: PlacingTime) -> list[PieceEpoch]:
    """Return the epochs of a track that may show a piece placed at ``placed``: those not over before it."""
    return [epoch for epoch in track.epochs if epoch.last >= placed.earliest]


def _alike(kind: str, other: str) -> bool:
    """Whether two kinds of piece can be mistaken for each other: they are equal, or players own both."""
    return kind == other or (kind in OWNED and other in OWNED)


def _matched(pieces: Sequence[StandingPiece]) -> float:
    """Return the log-likelihood (nats) of a greedy one-to-one match of pieces with tracks."""
    terms = [-one.missed for one in pieces]
    pairs = sorted(
        ((gain, i, track) for i, one in enumerate(pieces) for gain, track in one.gains),
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
