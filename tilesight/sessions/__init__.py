"""Recorded sessions: pictures, players, what was said; and a reading compared with the record."""

# Modules only: setup.py reads `samples` with the standard library alone.
__all__ = [
    "comparison",
    "disturbed",
    "grid_session",
    "narration",
    "samples",
    "session",
]
