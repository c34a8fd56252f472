"""The rules of Carcassonne Hunters and Gatherers (2020)."""

from engine.hunters_gatherers.game import HUNTERS_GATHERERS
from engine.hunters_gatherers.state import HuntersState

__all__ = ["HUNTERS_GATHERERS", "HuntersState"]
