"""Doubts of a live table: turns that are not sure, and questions from their asking to their end."""

from tilesight.live.asking.doubtful_turns import DoubtfulTurns, Doubts
from tilesight.live.asking.open_questions import OpenQuestions

__all__ = ["DoubtfulTurns", "Doubts", "OpenQuestions"]
