"""Histories: a filter over whole histories of a game, for tables of which a picture is taken now and then."""

from tilesight.inference.histories.filter import HistoryFilter

__all__ = ["HistoryFilter"]
