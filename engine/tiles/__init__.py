"""Games whose tiles are laid edge to edge: the board, features, turns, records and notation they share."""

from engine.tiles.board import Laid, Standing
from engine.tiles.game import Final, GameState, Header, ScoreEvent, Spot, Step
from engine.tiles.turn import Turn

__all__ = ["Final", "GameState", "Header", "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn"]
