"""Framing: whether a camera's picture shows the tiles large, bright, sharp and still enough to be read.

Asked before a game and while a camera is being placed; the recogniser never asks. `picture_check` measures
one picture, the limits are in `params`.
"""
