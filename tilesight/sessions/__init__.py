"""Recorded games: pictures, who plays, what was said; and how a reading compares with the record."""
