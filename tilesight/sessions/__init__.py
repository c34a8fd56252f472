"""Recorded sessions: pictures, players, what was said; and a reading compared with the record."""
