"""The rules of Carcassonne, the base game, with The River."""

from engine.carcassonne.game import CARCASSONNE
from engine.carcassonne.state import CarcassonneState

__all__ = ["CARCASSONNE", "CarcassonneState"]
