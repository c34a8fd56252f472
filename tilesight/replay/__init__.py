"""`tilesight replay`: a recorded session follows the path of a live camera."""

from tilesight.replay.command import open_recording
from tilesight.replay.replay import Recording, Replay

__all__ = ["Recording", "Replay", "open_recording"]
