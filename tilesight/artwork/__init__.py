"""Draws the house deck `savanna`: ``python -m tilesight.artwork`` rewrites its pack.json and its art.

The drawing is seeded by the names of tiles and designs, so that it comes out the same every time.
"""
