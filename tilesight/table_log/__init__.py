"""Table log: its entries on disk, the game they add up to, and the file it is kept in."""

from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import StoreError, TableStore

__all__ = ["GameLedger", "StoreError", "TableStore"]
