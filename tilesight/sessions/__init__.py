"""Recorded sessions: reading a folder, comparing a replay with its record, and narration."""

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
