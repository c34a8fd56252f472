"""Copy of a table's log, possible while a game is being written to it. No key of the table is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tilesight.table_log.event_fold import without_keys
from tilesight.table_log.event_store import StoreError, TableStore, write_log


def back_up(path: Path, copy: Path) -> int:
    """Copy the current log in ``path`` to ``copy`` and return the number of its entries.

    The copy holds no key: copies are shared, and a table that goes on with one makes new keys. Raises
    StoreError if the log is damaged, or if the copy exists or cannot be written; no partial copy is left.
    """
    if copy.exists():
        raise StoreError(f"{copy}: is there already")
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TableStore(path, read_only=True) as store:
            told = store.entries()
            return write_log(copy, ((without_keys(one), store.pictures(one.number)) for one in told))
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{copy}: cannot be written ({error.strerror})") from None
    except (sqlite3.Error, ValueError) as error:  # ValueError: a text that has no encoding
        raise StoreError(f"{copy}: cannot be written ({error})") from None
