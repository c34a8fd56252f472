"""Table log: its entries on disk, their fold into a game, and its file."""

from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import StoreError, TableStore

__all__ = ["GameLedger", "StoreError", "TableStore"]
