"""Turn of a game whose meeples are kept by the place where they stand, and go home when a feature scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from engine.tiles.board import Standing
from engine.tiles.common_rules import seats_from
from engine.tiles.features import Region
from engine.tiles.game import Worth
from engine.tiles.pieces import Pose, Takes, features_take
from engine.tiles.turn import Place, Turn
from engine.tiles.turn_runner import RunPosition, TileRun


class MeepleTable(RunPosition, Protocol):
    """Protocol of the position that such a turn starts from."""

    @property
    def meeples(self) -> Mapping[Place, Standing]:
        """The meeples on the board, by place."""

    @property
    def supply(self) -> Mapping[str, int]:
        """Meeples that each player has left."""


State = TypeVar("State", bound=MeepleTable)


class MeepleRun(TileRun[State]):
    """A turn: see `TileRun`. ``meeples`` and ``supply`` begin as the position has them and end as the turn
    leaves them."""

    def __init__(self, state: State, turn: Turn) -> None:
        super().__init__(state, turn)
        self.meeples = state.meeples
        self.supply = state.supply

    def _check_supply(self) -> None:
        """A meeple comes from the player's supply, before anything returns."""
        if not self.supply[self.player]:
            self._fault("no_meeple", f"{self.player} has no meeple left", player=self.player)

    def _take_meeple(self, place: Place, pose: Pose) -> None:
        """One meeple from the player's supply to a place."""
        self.supply = {**self.supply, self.player: self.supply[self.player] - 1}
        self.meeples = {**self.meeples, place: Standing("meeple", self.player, *place, pose=pose)}

    def _score_majority(self, region: Region, worth: Worth, feature: str) -> None:
        """Points for everyone who has the most meeples on a finished feature; then all meeples there go
        home."""
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
    """Pose in which a meeple is put on a feature of that kind."""
    return "lying" if ("meeple", "lying") in features_take(takes, feature_kind) else "standing"
