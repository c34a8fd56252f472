"""One live table: the camera, the people at it, and what they are shown."""

from tilesight.live.controller import TableController
from tilesight.live.watched_game import WatchedGame
from tilesight.live.watching import WatchedFrame, Watcher, watch

__all__ = ["TableController", "WatchedFrame", "WatchedGame", "Watcher", "watch"]
