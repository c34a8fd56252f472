"""Scenes: what happens at a table besides turns, and the tracker that keeps the turns whatever happens."""
