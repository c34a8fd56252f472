"""Execution of a turn in games that store meeples by tile feature and return them when a feature scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from engine.message import Message
from engine.tiles.board import Standing
from engine.tiles.common_rules import seats_from
from engine.tiles.features import Region
from engine.tiles.game import Worth
from engine.tiles.pieces import Pose, Takes, features_take
from engine.tiles.turn import FeatureRef, Turn
from engine.tiles.turn_runner import RunPosition, TileRun


class MeepleTable(RunPosition, Protocol):
    """Protocol of the position in which such a turn is played."""

    @property
    def meeples(self) -> Mapping[FeatureRef, Standing]:
        """The meeples on the board, by tile feature."""

    @property
    def supply(self) -> Mapping[str, int]:
        """Number of meeples in each player's supply."""


MeepleTableT = TypeVar("MeepleTableT", bound=MeepleTable)


class MeepleRun(TileRun[MeepleTableT]):
    """A turn: see `TileRun`. ``meeples`` and ``supply`` start as those of the position and end as those after
    the turn."""

    def __init__(self, state: MeepleTableT, turn: Turn) -> None:
        super().__init__(state, turn)
        self.meeples = state.meeples
        self.supply = state.supply

    def _check_supply(self) -> None:
        """Report a fault if the player has no meeple in supply before the turn's scoring."""
        if not self.supply[self.player]:
            message = Message("{player} has no meeple left", player=self.player)
            self._fault("no_meeple", message, player=self.player)

    def _take_meeple(self, place: FeatureRef, pose: Pose) -> None:
        """Move one meeple from the player's supply to a tile feature."""
        self.supply = {**self.supply, self.player: self.supply[self.player] - 1}
        self.meeples = {**self.meeples, place: Standing("meeple", self.player, *place, pose=pose)}

    def _score_majority(self, region: Region, worth: Worth, feature: str) -> None:
        """Award the points of a finished region to its majority, and return its meeples to the supplies.
        ``feature`` is the id for the scoring event."""
        majority = region.majority
        for player in seats_from(self.state.players, self.player):
            if player in majority:
                self._award(player, worth.points, region.kind, worth.why, region.cells, feature)
        supply, meeples = dict(self.supply), dict(self.meeples)
        for color, place in region.meeples:
            supply[color] += 1
            del meeples[place]
        self.supply, self.meeples = supply, meeples


def pose_on(takes: Takes, feature_kind: str) -> Pose:
    """The pose of a meeple on a feature of that kind."""
    return "lying" if ("meeple", "lying") in features_take(takes, feature_kind) else "standing"
