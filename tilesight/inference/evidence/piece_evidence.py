"""Piece evidence: log-likelihood of a piece that a story has on the table for some time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE
from tilesight.inference.evidence.matching import Matching, face_of
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.evidence.timing import staying_nats, still_to_come, unseen_nats
from tilesight.inference.evidence.tracks import Track
from tilesight.inference.params import PIECES, TIMES

UNSEEN = -1
"""Number of the track of a piece that no look shows."""


class Showing(NamedTuple):
    """One way in which the looks may show a piece: ``nats``, the track's number, its looks [first, end)."""

    nats: float
    track: int
    first: int
    end: int


class Stay(NamedTuple):
    """A piece of a story. ``laid`` is its tile (None beside the tiles), ``first`` the first look at the tile
    of its turn, ``following`` that of the next turn's tile, ``end`` that of the turn that takes it off; each
    the number of looks if there is none. ``last`` says whether its turn is the story's last."""

    piece: Standing
    laid: Laid | None
    first: int
    following: int
    end: int
    last: bool


class PieceEvidence:
    """Log-likelihoods in nats of the pieces of stories, given all looks."""

    def __init__(self, evidence: Evidence) -> None:
        self._seen = evidence
        self.matching = Matching(evidence)

    # -- one track

    def gain(self, track: Track, first: int, end: int) -> float:
        """Return the gain of a piece at a track's place in the looks [first, end), against none at all."""
        return track.seen.costs(self._seen.number, PIECES.repeated).stay(first, end)

    def claimed(self, cell: tuple[int, int]) -> float:
        """Return what the detections on a cell cost more if a tile lies there but no piece.

        Beside the board they may be anything.
        """
        return self._seen.once(self._claimed, cell)

    def _claimed(self, cell: tuple[int, int]) -> float:
        first, total = self._seen.arrival(cell).first if self._seen.number else 0, 0.0
        for track in self._seen.tracks.on(cell):
            shown = [look for look in track.seen.shown if look >= first - 1]
            if shown and track.worth > 2.0:
                gain = self.gain(track, shown[0], shown[-1] + 1)
                total += max(gain - PIECES.beside_most_nats, 0.0)
        return total

    # -- one piece

    def showings(self, stay: Stay) -> list[Showing]:
        """Return the ways in which the looks may show a piece, best first; one is that none does."""
        memo = self._seen.memo
        key = (stay.piece, face_of(stay.laid), stay[2:])
        known = memo.get(key)
        if known is None:
            known = memo[key] = self._showings(stay)
        return cast("list[Showing]", known)

    def most(self, stay: Stay, since: int) -> float:
        """Return the most nats that a piece may have that comes with look ``since`` or later.

        It stays until ``stay.end`` or longer.
        """
        looks, found = self._seen.number, [-self._unseen(stay)]
        for track in self._seen.near(stay.piece.cell):
            shown = track.seen.costs(looks, PIECES.repeated).cost(since, looks, 1)
            found.append(self.matching.match(track, stay.laid, stay.piece) + shown)
        return max(found)

    def _showings(self, stay: Stay) -> list[Showing]:
        """Compute `showings`."""
        found = [Showing(-self._unseen(stay), UNSEEN, stay.first, max(stay.end, stay.first))]
        for track in self._seen.near(stay.piece.cell):
            shown = track.seen.shown
            if not shown:
                continue
            match = self.matching.match(track, stay.laid, stay.piece)
            if match == -math.inf:
                continue
            costs = track.seen.costs(self._seen.number, PIECES.repeated)
            best = max(
                (
                    (costs.stay(first, end) - late - staying, first, end)
                    for first, late in self._starts(track, shown, stay)
                    for end, staying in self._ends(track, shown, stay)
                    if end > first
                ),
                default=None,
            )
            if best is not None:
                found.append(Showing(match + best[0], track.number, best[1], best[2]))
        return sorted(found, reverse=True)

    def _starts(self, track: Track, shown: Sequence[int], stay: Stay) -> list[tuple[int, float]]:
        """Return the looks since which a track may show a piece, each with its cost."""
        first, looks = stay.first, self._seen.looks
        starts = [(first, 0.0)]
        late = next((look for look in shown if look > first), None)
        if late is not None and first < len(looks):
            wait = -math.log(still_to_come(looks[late - 1].last_s - looks[first].first_s))
            starts.append((late, wait + (TIMES.after_next_nats if late > stay.following else 0.0)))
        return starts

    def _ends(self, track: Track, shown: Sequence[int], stay: Stay) -> list[tuple[int, float]]:
        """Return the looks until which a track may show a piece, each with its cost: it may be forgotten."""
        end, looks = stay.end, self._seen.looks
        ends = [(end, 0.0)]
        if end >= len(looks):
            return ends
        gone_s = looks[end].first_s
        if stay.piece.kind in OUTSIDE:  # it moved on: its old place is left when the late piece comes
            for look in range(end, min(end + PIECES.outside_stays, len(looks))):
                if track.seen.at(look) < 0:
                    break
                ends.append((look + 1, -math.log(still_to_come(looks[look].first_s - gone_s))))
            return ends
        return ends + [
            (look + 1, staying_nats(looks[look].first_s - gone_s)) for look in shown if look >= end
        ]

    def elsewhere(self, found: list[Showing], stay: Stay, places: Iterable[Stay]) -> list[Showing]:
        """Return the showings of a piece, and those of standing on another tile of its feature."""
        more = [
            one._replace(nats=one.nats - PIECES.elsewhere_nats)
            for place in places
            for one in self.showings(place)
            if one.track != UNSEEN
        ]
        return sorted([*found, *more], reverse=True) if more else found

    def _unseen(self, stay: Stay) -> float:
        """Return the cost of a piece that no look shows."""
        piece, first, end, looks = stay.piece, stay.first, stay.end, self._seen.looks
        if end <= first:
            if piece.kind in OUTSIDE:
                return PIECES.unseen_outside_nats
            return unseen_nats(self._gap_s(first))
        shown = self._seen.shown(piece.cell)
        if shown is None or first >= len(looks):
            return 0.0
        missed = PIECES.missed_nats * shown.cost(first, end, -1)
        if piece.kind == "token" and piece.corner is not None and self._is_under(piece):
            missed = min(missed, 3.0 * PIECES.under_nats)
        waits = 0.0
        if stay.last or end < len(looks):  # not put down by then
            waits = still_to_come(looks[min(end, len(looks)) - 1].last_s - looks[first].first_s)
        return -math.log(waits + (1.0 - waits) * math.exp(-missed))

    def _is_under(self, token: Standing) -> bool:
        """Whether a player's piece was ever detected on the place of an animal tile."""
        assert token.corner is not None
        u, v = self._seen.pack.token_spot(token.corner)
        at = (token.cell[0] + u, token.cell[1] + v)
        return any(
            not track.token and track.worth > 1.0 and math.dist(track.xy, at) < PIECES.under_sides
            for track in self._seen.near(token.cell)
        )

    def _gap_s(self, first: int) -> float:
        """Return the longer of the gaps in seconds around a look; infinite if there is none."""
        looks = self._seen.looks
        gaps = [looks[k + 1].first_s - looks[k].last_s for k in (first - 1, first) if 0 <= k < len(looks) - 1]
        return max(gaps, default=math.inf)
