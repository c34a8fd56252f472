"""The log of one table: its entries on disk, the game they add up to, and where the file is."""

from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import StoreError, TableStore

__all__ = ["GameLedger", "StoreError", "TableStore"]
