"""Views of a table: the protocols by which the dashboard asks one, and the values as JSON."""

from web.views.feed import Event, Feed
from web.views.squares_table import SquareTable, SquareView
from web.views.table import Refusal, Table, TableView, WatchedTable

__all__ = ["Event", "Feed", "Refusal", "SquareTable", "SquareView", "Table", "TableView", "WatchedTable"]
