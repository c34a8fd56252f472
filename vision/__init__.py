"""Vision: reads a `Frame` and returns an `Observation` of the table."""

from vision.observation import BoardPose, Frame, Observation

__all__ = ["BoardPose", "Frame", "Observation"]
