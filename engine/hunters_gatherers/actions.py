"""Actions of Hunters and Gatherers: a hut put on a river or lake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.fault import Fault
from engine.geometry import Cell
from engine.tiles.actions import FeatureAction, known_action


@known_action
@dataclass(frozen=True, slots=True)
class Hut(FeatureAction):
    """Place a hut on a river or lake of the tile just laid ('Place a hut on a river or lake')."""

    type: ClassVar[str] = "hut"

    def refused(self, cell: Cell) -> Fault:
        """The fault of this action in another game."""
        return Fault("no_huts", "there are no huts in this game", cell, feature=self.feature)
