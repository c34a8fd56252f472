"""Draws the house deck `savanna`: ``python -m tilesight.artwork`` rewrites its pack.json and art, always the same."""
