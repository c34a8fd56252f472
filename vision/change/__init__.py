"""Change detection between pictures of one camera."""

from vision.change.reading_memory import ReadingCache
from vision.change.small_picture import Changes, SmallPicture
from vision.change.stillness import Stillness

__all__ = ["Changes", "ReadingCache", "SmallPicture", "Stillness"]
