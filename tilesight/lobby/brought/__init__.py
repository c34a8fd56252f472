"""Brought games: import of logs from elsewhere, checked in a process of its own."""
