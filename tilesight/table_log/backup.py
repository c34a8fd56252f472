"""Backup of a table's log, possible while a game is being written to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from tilesight.table_log.event_store import DAMAGE, StoreError, TableStore, files_of, reading


def back_up(path: Path, copy: Path) -> int:
    """Copy the current log in ``path`` to ``copy`` and return the number of its entries.

    Raises StoreError if the log is damaged, or if the copy exists or cannot be written; no partial copy is
    left.
    """
    if copy.exists():
        raise StoreError(f"{copy}: is there already")
    begun = copy.with_name(f"{copy.name}.begun")
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        begun.unlink(missing_ok=True)
        os.close(os.open(begun, os.O_CREAT | os.O_WRONLY, 0o600))  # the table's keys are in it
        with (
            TableStore(path, read_only=True),  # raises StoreError unless it is a sound log
            closing(reading(path)) as base,
            closing(sqlite3.connect(begun)) as target,
        ):
            base.backup(target, pages=1000, sleep=0.01)
            target.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
        with TableStore(begun, read_only=True) as store:
            entries = len(store.entries())
        begun.replace(copy)
    except (*DAMAGE, OSError) as error:
        raise StoreError(f"{copy}: cannot be written ({error})") from None
    finally:
        for rest in files_of(begun):
            rest.unlink(missing_ok=True)
    return entries
