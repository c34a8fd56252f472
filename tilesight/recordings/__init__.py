"""Recorded sessions, followed on the path of a live camera: `tilesight replay`."""

from tilesight.recordings.command import open_recording
from tilesight.recordings.replay import Recording, Replay

__all__ = ["Recording", "Replay", "open_recording"]
