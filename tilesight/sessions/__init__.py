"""Recorded sessions: reading a folder, comparing a replay with its record, and narration."""
