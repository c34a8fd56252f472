"""Framing: checks that a camera's picture shows the tiles large, bright, sharp and still enough.

It is used before a game, while a camera is set up, and not by the recognition itself. `picture_check`
measures one picture, `params` has the limits.
"""
