"""Change detection: what changed from picture to picture, and since when."""

from vision.change.motion import MotionGauge
from vision.change.reading_memory import CellMemory
from vision.change.stillness import Stillness

__all__ = ["CellMemory", "MotionGauge", "Stillness"]
