"""One live table: the camera, people's commands, and the pages that show the game."""

from tilesight.live.controller import TableController
from tilesight.live.watched_game import WatchedGame
from tilesight.live.watching import WatchedFrame, Watcher, watch

__all__ = ["TableController", "WatchedFrame", "WatchedGame", "Watcher", "watch"]
