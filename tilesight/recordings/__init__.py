"""Replays of recorded sessions through the code of a live table: `tilesight replay`."""

from tilesight.recordings.command import open_recording
from tilesight.recordings.replay import Recording, Replay

__all__ = ["Recording", "Replay", "open_recording"]
