"""Read-only reader of a table's log while the table writes it, without blocking it."""

from __future__ import annotations

from pathlib import Path

from tilesight.club.log_ids import log_id
from tilesight.table_log.event_fold import access_of
from tilesight.table_log.event_store import Entry, TableStore
from web.table.access import Access

AT_ONCE = 200
"""Entries that are read at a time."""


class LogReader:
    """The log in a file. Methods raise StoreError if it cannot be read."""

    def __init__(self, path: Path) -> None:
        """The file may not be there yet."""
        self.path = path
        self._store: TableStore | None = None
        self._game: str | None = None
        self._access: Access | None = None
        self._keyed = 0

    @property
    def game(self) -> str | None:
        """Return the id of the game; None before its first entry."""
        if self._game is None and (first := self.after(0, 1)):
            self._game = log_id(first[0])
        return self._game

    @property
    def access(self) -> Access | None:
        """Return the table's access keys; None before they are in the log."""
        while entries := self.after(self._keyed):
            self._access = access_of(entries) or self._access
            self._keyed = entries[-1].number
        return self._access

    def after(self, number: int, at_most: int = AT_ONCE) -> tuple[Entry, ...]:
        """Return the next entries after number ``number``."""
        if self._store is None:
            if not self.path.is_file() or not self.path.stat().st_size:
                return ()
            self._store = TableStore(self.path, read_only=True)
        return self._store.after(number, at_most)

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.__exit__(None, None, None)
            self._store = None
