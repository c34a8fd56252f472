"""Tables as the dashboard sees them: the protocols, and their values as JSON."""

from web.tables.feed import Event, Feed
from web.tables.grid_table import SquareTable, SquareView
from web.tables.table import Refusal, Table, TableView, WatchedTable

__all__ = ["Event", "Feed", "Refusal", "SquareTable", "SquareView", "Table", "TableView", "WatchedTable"]
