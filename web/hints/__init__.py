"""Hints for players of tile games: remaining tiles with their chances, and best places."""
