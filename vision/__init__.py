"""Vision: from a picture to what lies on the table; a `Frame` goes in, an `Observation` comes out."""

from vision.observation import BoardPose, Frame, Observation

__all__ = ["BoardPose", "Frame", "Observation"]
