"""Matching: how well a track fits a piece, by colour, kind, pose, animal and place."""

from __future__ import annotations

import math

from engine.geometry import cell_of
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OWNED
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.evidence.tracks import Track
from tilesight.inference.evidence.traits import animal_cost, color_cost, distance_to_place, sort_cost
from tilesight.inference.params import PIECES
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of

Face = tuple[str, int]
"""A design and its rotation in degrees."""


class Matching:
    """Fits of the tracks of one table."""

    def __init__(self, evidence: Evidence) -> None:
        self._seen = evidence
        self._places: dict[tuple[object, ...], dict[str, float]] = {}

    def mean(self, track: Track) -> PieceReading:
        """Return the mean reading of a track."""
        return self._seen.once(track.traits.mean)

    def match(self, track: Track, laid: Laid | None, piece: Standing) -> float:
        """Return how well a track fits a piece on ``laid``: about 0 is perfect, -inf is too far away."""
        memo = self._seen.memo
        key = ("match", track.number, face_of(laid), piece)
        if key not in memo:
            memo[key] = self._match(track, laid, piece)
        return float(memo[key])

    def _match(self, track: Track, laid: Laid | None, piece: Standing) -> float:
        """Compute `match`."""
        if track.token != (piece.kind == "token"):
            return -math.inf
        distance, nearest = self._distances(track, laid, piece)
        if distance > PIECES.reach_sides:
            return -math.inf
        on_feature = track.token and piece.feature is not None
        spread = PIECES.token_spread_sides if on_feature else PIECES.spread_sides
        off = 1.5 * math.log1p((distance / spread) ** 2)
        off -= PIECES.somewhere * 1.5 * math.log1p((min(nearest, distance) / spread) ** 2)
        reading = self.mean(track)
        if track.token:
            # One animal is favoured over all others, which are equally likely; less if it was never bare.
            told = max(track.bare, 0.25)
            chosen = math.log(max(len(self._seen.pack.tokens), 1))
            return -off - told * (animal_cost(reading, piece.animal) - chosen)
        traits = self._color(reading, piece) if piece.kind in OWNED else 0.0
        traits += sort_cost(reading, piece, self._seen.kinds, PIECES.sort_most_nats)
        # Equal errors repeat from look to look.
        traits *= 1.34 if track.pictures > 2 else 1.0 + 0.2 * (track.pictures - 1)
        return -off - traits - self._roof(track, laid, piece)

    def _distances(self, track: Track, laid: Laid | None, piece: Standing) -> tuple[float, float]:
        """Return the distances in tile sides of a track from a piece's place, and from any feature's.

        A piece on a tile belongs to some feature of it, even if it is far from the drawing.
        """
        if piece.feature is None or laid is None:
            return distance_to_place(laid, piece, track.xy, self._seen.pack), 0.0
        x, y = piece.cell
        costs = self._costs(laid, track.xy[0] - x, track.xy[1] - y, piece)
        nearest = min(costs.values(), default=0.0) if cell_of(track.xy) == piece.cell else 0.0
        return costs.get(piece.feature, math.inf), nearest

    def _costs(self, laid: Laid, u: float, v: float, piece: Standing) -> dict[str, float]:
        """Return `feature_costs` for a piece at a point of its cell, cached."""
        key = (laid.design.id, laid.rot, round(u, 2), round(v, 2), piece.kind, piece.pose)
        if key not in self._places:
            at = (round(u, 2), round(v, 2))
            takes = takes_of(self._seen.pack)
            self._places[key] = feature_costs(laid.design, laid.rot, at, takes, piece.kind, piece.pose)
        return self._places[key]

    def _color(self, reading: PieceReading, piece: Standing) -> float:
        """Return the cost of a colour that differs from the piece's."""
        cost = color_cost(reading, piece.color, self._seen.players)
        colors = reading.color_probs
        if (
            reading.kind in OWNED
            and colors
            and max(colors, key=lambda c: colors[c]) not in self._seen.players
        ):
            cost = PIECES.odd_nats + min(cost, 2.0)
        return cost

    @staticmethod
    def _roof(track: Track, laid: Laid | None, piece: Standing) -> float:
        """Return the cost of a doubtful detection on a printed building or tree, which looks like a piece."""
        if laid is None or piece.feature is None or laid.design.tile.reaches_side(piece.feature):
            return 0.0
        sure = min(max(track.surest, 0.02), 0.985)
        return max(PIECES.roof_nats - math.log(sure / (1.0 - sure)), 0.0)


def face_of(laid: Laid | None) -> Face | None:
    """Return a key of a laid tile's face."""
    return None if laid is None else (laid.design.id, laid.rot)
