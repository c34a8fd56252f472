"""The rules of Tricky Safari."""

from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.state import TrickyState

__all__ = ["TRICKY_SAFARI", "TrickyState"]
