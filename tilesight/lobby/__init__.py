"""The lobby: starts, resumes and stops this computer's tables from a page."""

from tilesight.lobby.lobby import TableLobby

__all__ = ["TableLobby"]
