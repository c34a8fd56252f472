"""Paced tracker: follows a game by the tracker that suits its pieces and how often its table is looked at.

`HistoryFilter` weighs what changed between looks, given the time. Where a running camera shows a game with
pieces of several kinds, `TurnTracker` follows it picture by picture. Hidden animal tiles make many more
histories, which take the filter three to five times as long, and it loses turns where detections flicker.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.histories import HistoryFilter
from tilesight.inference.protocols import Tracker
from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Understanding
from vision.observation import Observation
from vision.pieces.feature_assignment import kinds_of

SPARSE_S = 8.0
"""Seconds between pictures from which these are taken now and then: a turn fits in between."""
DECIDED_BY = 3
"""Number of pictures, the first ones, whose times decide."""


class PacedTracker:
    """Follows one game. Of a game with pieces of several kinds the times of the first pictures decide which
    tracker does."""

    def __init__(self, state: GameState) -> None:
        self._state = state
        self._first: list[Observation] = []
        self._decided = len(kinds_of(state.pack)) == 1
        self._inner: Tracker[Understanding] = HistoryFilter(state) if self._decided else TurnTracker(state)

    def see(self, observation: Observation) -> Understanding:
        """Take one picture into account."""
        if not self._decided:
            self._first.append(observation)
            self._decide()
        return self._inner.see(observation)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` as certain for the game so far. IllegalTurn where they are no legal game."""
        understood = self._inner.fix(turns, tuple(not_these))
        self._decided, self._first = True, []
        return understood

    def _decide(self) -> None:
        *before, _ = self._first
        if not _are_sparse(self._first):
            self._decided, self._first = True, []
        elif len(self._first) == DECIDED_BY:
            self._decided, self._first = True, []
            self._inner = HistoryFilter(self._state)
            for known in before:
                self._inner.see(known)

    def finish(self) -> Understanding:
        """Final understanding, once no more pictures come."""
        return self._inner.finish()


def _are_sparse(pictures: Sequence[Observation]) -> bool:
    """Whether pictures are taken now and then."""
    return all(later.t_s - one.t_s >= SPARSE_S for one, later in pairwise(pictures))
