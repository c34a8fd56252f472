"""Paced tracker: picks the tracker that suits a game's pieces and the pace of its pictures.

`HistoryFilter` weighs the changes between looks by the time between them. `TurnTracker` follows a running
camera picture by picture, if the game has pieces of several kinds: hidden animal tiles make many more
histories, so that the filter takes three to five times as long, and it loses turns if detections flicker.
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
    """Follows one game, which starts at ``state``, with a `HistoryFilter` or a `TurnTracker`.

    For a game with pieces of several kinds, the times of the first pictures decide.
    """

    def __init__(self, state: GameState) -> None:
        self._state = state
        self._first: list[Observation] = []
        self._decided = len(kinds_of(state.pack)) == 1
        self._inner: Tracker[Understanding] = HistoryFilter(state) if self._decided else TurnTracker(state)

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it."""
        if not self._decided:
            self._first.append(observation)
            self._decide()
        return self._inner.see(observation)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` as the game's turns so far, with certainty; return the understanding.

        ``not_these`` are ruled out as the next turn. The choice of tracker is then final. Raises IllegalTurn
        if ``turns`` are not a legal game.
        """
        understood = self._inner.fix(turns, tuple(not_these))
        self._decided, self._first = True, []
        return understood

    def _decide(self) -> None:
        """Switch to the `HistoryFilter` if the first `DECIDED_BY` pictures are sparse."""
        *before, _ = self._first
        if not _are_sparse(self._first):
            self._decided, self._first = True, []
        elif len(self._first) == DECIDED_BY:
            self._decided, self._first = True, []
            self._inner = HistoryFilter(self._state)
            for known in before:
                self._inner.see(known)

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come."""
        return self._inner.finish()


def _are_sparse(pictures: Sequence[Observation]) -> bool:
    """Whether successive pictures are at least `SPARSE_S` seconds apart."""
    return all(later.t_s - one.t_s >= SPARSE_S for one, later in pairwise(pictures))
