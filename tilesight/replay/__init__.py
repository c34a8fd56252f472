"""Recorded sessions through the same path as a camera, told and compared with their record."""

from tilesight.replay.command import open_recording
from tilesight.replay.replay import Recording, Replay

__all__ = ["Recording", "Replay", "open_recording"]
