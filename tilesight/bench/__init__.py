"""Measurements: speed, memory and accuracy, a module for each `tilesight bench` command; its HTML report."""

# Modules only: a command imports what it measures when it is called.
__all__ = [
    "delay",
    "engine",
    "live",
    "params",
    "phones",
    "report",
    "sessions",
    "tiles",
    "vision",
]
