"""Tile descriptor: recipe, network, baseline, judge, and the synthetic photographs it learns from."""
