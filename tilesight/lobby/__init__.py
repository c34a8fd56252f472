"""The lobby: the tables of this computer, on its disk and as processes, begun and stopped from a page."""

from tilesight.lobby.lobby import TableLobby

__all__ = ["TableLobby"]
