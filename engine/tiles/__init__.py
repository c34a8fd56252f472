"""Common part of the tile games: board, features, turns, records and notation."""

from engine.tiles.board import Laid, Standing
from engine.tiles.game import Final, GameState, Header, ScoreEvent, Spot, Step
from engine.tiles.turn import Turn

__all__ = ["Final", "GameState", "Header", "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn"]
