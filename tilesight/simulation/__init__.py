"""Simulated games of every kind, played by random and greedy players, and `tilesight play`."""
