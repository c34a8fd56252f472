"""Simulated games: random and greedy players for every game of the engine."""
