"""The rules of Carcassonne Safari."""

from engine.safari.game import SAFARI
from engine.safari.state import SafariState

__all__ = ["SAFARI", "SafariState"]
