"""Change detection: what changed from picture to picture, and since when."""

from vision.change.reading_memory import CellMemory
from vision.change.small_picture import Changes, SmallPicture
from vision.change.stillness import Stillness

__all__ = ["CellMemory", "Changes", "SmallPicture", "Stillness"]
