"""Paced tracker: follows a game by the tracker that suits how often its table is looked at.

A camera that runs shows each table again and again: `TurnTracker` weighs picture by picture. Where a picture
is taken now and then, about one a turn, `HistoryFilter` weighs what changed between them, given the time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.histories import HistoryFilter
from tilesight.inference.protocols import Tracker
from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Understanding
from vision.observation import Observation

SPARSE_S = 8.0
"""Seconds between the first two pictures from which these are taken now and then: a turn fits in between."""


class PacedTracker:
    """Follows one game; which tracker does is decided by the time between the first two pictures."""

    def __init__(self, state: GameState) -> None:
        self._state = state
        self._first: Observation | None = None
        self._decided = False
        self._inner: Tracker[Understanding] = TurnTracker(state)

    def see(self, observation: Observation) -> Understanding:
        """Take one picture into account."""
        first = self._first
        if first is None:
            self._first = observation
        elif not self._decided:
            self._decided = True
            if observation.t_s - first.t_s >= SPARSE_S:
                self._inner = HistoryFilter(self._state)
                self._inner.see(first)
        return self._inner.see(observation)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` for the game's turns so far, for certain. IllegalTurn where they are no legal
        game."""
        self._decided = True
        return self._inner.fix(turns, tuple(not_these))

    def finish(self) -> Understanding:
        """Final understanding, once no more pictures come."""
        return self._inner.finish()
