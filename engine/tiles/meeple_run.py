"""Positions and turns of games that store meeples by tile feature and return them when a feature scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message
from engine.tiles.actions import Meeple
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Composition, Region, replace_region
from engine.tiles.game import FeatureUse, GameState, Worth
from engine.tiles.pieces import Pose, Takes, features_take
from engine.tiles.turn import FeatureRef, Turn
from engine.tiles.turn_runner import TileRun


@dataclass(frozen=True, slots=True)
class MeepleState(GameState):
    """A position of a game that stores meeples by tile feature.
    ``meeples`` are the meeples on the table, ``closed`` the finished features that matter for the final
    scoring."""

    meeples: Mapping[FeatureRef, Standing]
    closed: tuple[Region, ...]

    takes: ClassVar[Takes]

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table."""
        return tuple(self.meeples.values())

    def feature_uses(self, cell: Cell, laid: Laid) -> tuple[FeatureUse, ...]:
        """Return the actions that put a meeple on a feature of ``laid`` at ``cell``, legal or not."""
        _, own = self.landscape.lay(cell, laid)
        return tuple(
            FeatureUse(Meeple(feature.id), sort, feature.id, own.get(feature.id))
            for feature in laid.design.tile.features
            for sort in features_take(self.takes, feature.kind)
            if sort[0] == "meeple"
        )


MeepleStateT = TypeVar("MeepleStateT", bound=MeepleState)


class MeepleRun(TileRun[MeepleStateT]):
    """A turn: see `TileRun`.
    ``meeples`` and ``closed`` start as those of the position and end as those after the turn. ``takes`` are
    the game's; ``refuses`` maps each kind of feature without meeples to the fault of a meeple on it."""

    takes: ClassVar[Takes]
    refuses: ClassVar[Mapping[str, Fault]]

    def __init__(self, state: MeepleStateT, turn: Turn, *, forced: bool = False) -> None:
        super().__init__(state, turn, forced=forced)
        self.meeples = state.meeples
        self.closed = state.closed

    def after(self) -> dict[str, Any]:
        """Return the fields of the position after the turn, by name."""
        return {**super().after(), "meeples": self.meeples, "closed": self.closed}

    def _place_meeple(self, feature_id: str) -> None:
        """Put the player's meeple on a feature of the tile, or append the faults to ``self.faults``."""
        cell = self.turn.cell
        self._check_supply()
        feature = self._feature(feature_id)
        if feature is None:
            return
        if feature.kind in self.refuses:
            self.faults.append(replace(self.refuses[feature.kind], cell=cell, feature=feature_id))
            return
        region = self.own_regions.get(feature_id)
        self._check_unoccupied(region, feature_id)
        if self._stopped:
            return
        place = (cell, feature_id)
        self.supply = {**self.supply, self.player: self.supply[self.player] - 1}
        pose = pose_on(self.takes, feature.kind)
        self.meeples = {**self.meeples, place: Standing("meeple", self.player, *place, pose=pose)}
        if region is not None:
            self.landscape, occupied = self.landscape.with_meeple(region, self.player, place)
            replace_region(self.own_regions, region, occupied)

    def _score_majority(self, region: Region) -> None:
        """Award the points of a finished region to its majority, and return its meeples to the supplies."""
        if paid := self._paid(region.majority):
            worth = self._worth(region)
            for player in paid:
                self._award(player, worth.points, region.kind, self._composition(region, worth.why))
        supply, meeples = dict(self.supply), dict(self.meeples)
        for color, place in region.meeples:
            supply[color] += 1
            del meeples[place]
        self.supply, self.meeples = supply, meeples

    def _composition(self, region: Region, why: Message) -> Composition:
        """Return what a finished region consists of."""
        return Composition.of(region, why)

    def _worth(self, region: Region) -> Worth:
        """Return the points of a finished region, with their reason."""
        raise NotImplementedError


def pose_on(takes: Takes, feature_kind: str) -> Pose:
    """Return the pose of a meeple on a feature of that kind, by the game's ``takes``."""
    return "lying" if ("meeple", "lying") in features_take(takes, feature_kind) else "standing"
