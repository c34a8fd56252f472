"""Doubtful turns of a live table, and the questions about them until they are closed."""

from tilesight.live.asking.doubtful_turns import DoubtfulTurns, Doubts
from tilesight.live.asking.open_questions import OpenQuestions

__all__ = ["DoubtfulTurns", "Doubts", "OpenQuestions"]
