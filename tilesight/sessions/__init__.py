"""Recorded sessions as values: reading a folder, comparing a reading with its record, telling it."""

# Modules only: setup.py reads `samples` with the standard library alone, `film` with Pillow.
__all__ = [
    "comparison",
    "disturbed",
    "film",
    "narration",
    "samples",
    "session",
    "squares_session",
]
