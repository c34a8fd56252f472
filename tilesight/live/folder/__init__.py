"""A watched folder as a picture source, and the memory of its pictures across restarts."""

from tilesight.live.folder.picture_folder import PictureFolder
from tilesight.live.folder.watched_files import WatchedFiles

__all__ = ["PictureFolder", "WatchedFiles"]
