"""Piece match: how well a track of detections fits a piece that a history has on the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from engine.geometry import Point, cell_of
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.histories.appearances import AVERAGED, Appearances, PieceEpoch, PieceTrack
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.likelihood import animal_cost, color_cost, distance_to_place, sort_cost
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of

REPEATED = (1.0, 1.21, 1.34)
"""Evidence of one, two and three equal looks, as multiples of the first. Their errors are correlated: what
one look misses, the next one misses in half of all cases (a beta-binomial with a + b = 1, mean exp(-3))."""
SUREST = 0.985
"""Probability: most that a detection on a printed building is trusted."""
DETECTED = ((0.02, 0.3, 0.6, 0.8, 0.97), (-1.0, 0.0, 0.5, 3.0, 5.5))
"""Confidences of a detection away from printed buildings, and the evidence in nats for a player's piece at
each. Measured on photographs of a game and of three boards, and on rendered sessions: of 151 pieces 12 are
detected with 0.7 to 0.97 and 109 with more, of 320 bare tiles none with more than 0.7."""


class PieceMatch:
    """Fits detections to pieces of given kinds and players' colours; all values are in nats."""

    def __init__(self, seen: Appearances, pack: Pack, players: Sequence[str], kinds: Iterable[str]) -> None:
        self._seen = seen
        self._pack = pack
        self._players = players
        self._kinds = frozenset(kinds)

    def fit(self, laid: Laid | None, piece: Standing, track: PieceTrack, used: Sequence[PieceEpoch]) -> float:
        """Return how well the epochs ``used`` of a track fit a piece on ``laid``, in nats.

        0 is about perfect, -inf is farther away than ``reach_sides``. ``used`` must not be empty.
        """
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
        traits *= REPEATED[min(weight, AVERAGED) - 1]
        off = 1.5 * math.log1p((distance / spread) ** 2)
        # A piece on a tile belongs to some feature of it, even if it is far from the drawing.
        excused = PARAMS.somewhere_share * 1.5 * math.log1p((min(nearest, distance) / spread) ** 2)
        # The reading favours one animal over all others, which are equally likely a priori (`action_prior`).
        animals = len(self._pack.tokens) if any(epoch.reading.kind == piece.kind for epoch in used) else 1
        chosen = math.log(animals) if piece.kind == "token" else 0.0
        return excused - off - traits - self._roof(laid, piece, used) + chosen

    def _roof(self, laid: Laid | None, piece: Standing, used: Sequence[PieceEpoch]) -> float:
        """Return the cost in nats of a doubtful detection on a printed building or tree; else 0.

        Those look like pieces; they are the features that reach no side of their tile.
        """
        if laid is None or piece.feature is None or laid.design.tile.reaches_side(piece.feature):
            return 0.0
        sure = min(max(max(epoch.reading.confidence for epoch in used), 0.02), SUREST)
        return max(PARAMS.roof_nats - PARAMS.roof_power * math.log(sure / (1.0 - sure)), 0.0)

    def _nearest(self, laid: Laid, piece: Standing, xy: Point) -> float:
        """Return the distance in tile sides from ``xy`` to the nearest feature of the piece's tile.

        0 if the point is not on that tile.
        """
        if cell_of(xy) != piece.cell:
            return 0.0
        x, y = piece.cell
        costs = feature_costs(
            laid.design, laid.rot, (xy[0] - x, xy[1] - y), takes_of(self._pack), piece.kind, piece.pose
        )
        return min(costs.values(), default=0.0)

    def _traits_cost(self, piece: Standing, epoch: PieceEpoch) -> float:
        """Return the cost in nats of an epoch whose colour, kind, pose or animal differs from the piece's."""
        reading = epoch.reading
        if piece.kind in OWNED and reading.kind in OWNED:
            color = color_cost(reading, piece.color, self._players)
            return sort_cost(reading, piece, self._kinds, PARAMS.sort_most_nats) + color
        if reading.kind != piece.kind:
            if epoch.odd:
                return PARAMS.odd_piece_nats
            beside = piece.kind in OUTSIDE and reading.kind in OWNED and epoch.beside
            return PARAMS.wrong_kind_nats / 2 if beside else PARAMS.wrong_kind_nats
        return animal_cost(reading, piece.animal)

    def explained(self, track: PieceTrack, used: Sequence[PieceEpoch]) -> float:
        """Return the cost in nats of leaving the epochs ``used`` of a track unexplained, which a piece saves.

        Epochs that follow each other after an instant are one thing and cost once.
        """
        total = 0.0
        for stay in _stays(track.epochs):
            costs = [self._unexplained(track, epoch) for epoch in stay if epoch in used]
            left = [self._unexplained(track, epoch) for epoch in stay if epoch not in used]
            if costs:
                total += max(costs) - max([*left, 0.0])
        return total

    def _unexplained(self, track: PieceTrack, epoch: PieceEpoch) -> float:
        """Return the cost in nats of one epoch that no piece explains; 0 away from the tiles."""
        on_tile = not epoch.beside and self._seen.has_tile(cell_of(track.xy))
        if not on_tile and not self._beside_tile(
            track, 1.0 if epoch.reading.kind in OUTSIDE else PARAMS.spread_sides
        ):
            return 0.0
        return unexplained_cost(epoch.reading)

    def _beside_tile(self, track: PieceTrack, within: float) -> bool:
        """Whether a tile lies within a distance (in tile sides) east, south, west or north of a track."""
        x, y = track.xy
        ways = ((within, 0.0), (0.0, within), (-within, 0.0), (0.0, -within))
        return any(self._seen.has_tile(cell_of((x + east, y + south))) for east, south in ways)


def _stays(epochs: Sequence[PieceEpoch]) -> list[list[PieceEpoch]]:
    """Group epochs that are interrupted for an instant only (``again``), in order."""
    stays: list[list[PieceEpoch]] = []
    for epoch in epochs:
        if stays and epoch.again:
            stays[-1].append(epoch)
        else:
            stays.append([epoch])
    return stays


def unexplained_cost(reading: PieceReading) -> float:
    """Return the cost in nats of a detection that no piece explains; negative for a faint one."""
    if reading.kind in OWNED:
        return float(np.interp(reading.confidence, *DETECTED))
    sure = min(max(reading.confidence, 0.02), 0.985)
    return math.log(sure / (1.0 - sure)) + 1.0
