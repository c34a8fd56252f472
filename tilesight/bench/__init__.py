"""Measurements of speed, memory and accuracy: one module for each `tilesight bench` command."""

# Modules only: a command imports what it measures when it is called.
__all__ = [
    "delay",
    "engine",
    "live",
    "params",
    "report",
    "sessions",
    "tiles",
    "vision",
]
