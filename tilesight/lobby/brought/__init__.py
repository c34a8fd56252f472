"""Brought games: import of logs from elsewhere, checked in a separate process."""
