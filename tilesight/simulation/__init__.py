"""Simulated games of every kind by random and greedy players, and `tilesight play`."""
