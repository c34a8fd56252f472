"""A table's log: append-only, in one SQLite file, so that a crash or a power cut loses nothing that was told.

Every entry is one transaction in write-ahead mode, on the disk before anybody hears of it. What the game is
now is the fold of its entries (`tilesight.ledger`); nothing is ever changed or removed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

FORMAT = 1
SUFFIX = ".table"


class StoreError(ValueError):
    """A table's log that cannot be used; one line that names the file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: ``number`` counts from 1, ``at_s`` is seconds since 1970."""

    number: int
    kind: str
    at_s: float
    data: Mapping[str, Any]


def tables_folder() -> Path:
    """Where this home keeps its tables."""
    home = os.environ.get("TILESIGHT_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share" / "tilesight") / "tables"


class TableStore:
    """One table's file, held by this process alone while it is open."""

    def __init__(self, path: Path) -> None:
        """Open, or begin, the log in ``path``. StoreError where it is no log, damaged, or in use."""
        self.path = path
        try:
            self._open(path)
        except BaseException:
            if hasattr(self, "_base"):
                self._base.close()
            raise

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=0.5, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = FULL")
            version = int(self._base.execute("PRAGMA user_version").fetchone()[0])
            if version not in (0, FORMAT):
                raise StoreError(f"{path}: a table of format {version} is not known here")
            self._base.executescript(
                "BEGIN IMMEDIATE;"
                "CREATE TABLE IF NOT EXISTS entries"
                " (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, at_s REAL NOT NULL, data TEXT NOT NULL);"
                "CREATE TABLE IF NOT EXISTS pictures"
                " (entry INTEGER NOT NULL REFERENCES entries, name TEXT NOT NULL, jpeg BLOB NOT NULL,"
                " PRIMARY KEY (entry, name));"
                f"PRAGMA user_version = {FORMAT};"
                "COMMIT;"
            )
            if self._base.execute("PRAGMA quick_check").fetchone()[0] != "ok":
                raise StoreError(f"{path}: this table's log is damaged")
        except sqlite3.OperationalError as error:
            busy = "locked" in str(error)
            why = "another Tilesight has this table open" if busy else str(error)
            raise StoreError(f"{path}: {why}") from None
        except sqlite3.DatabaseError:
            raise StoreError(f"{path}: this is no table's log, or it is damaged") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror})") from None

    def __enter__(self) -> TableStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def append(
        self, kind: str, data: Mapping[str, Any], pictures: Mapping[str, bytes] | None = None
    ) -> Entry:
        """Add an entry with its pictures (JPEG by name); it is on the disk when this returns. StoreError
        where the disk says no; nothing of the entry is kept then."""
        at_s = time.time()
        try:
            with self._transaction():
                text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
                row = self._base.execute(
                    "INSERT INTO entries (kind, at_s, data) VALUES (?, ?, ?)", (kind, at_s, text)
                )
                number = int(row.lastrowid or 0)
                self._base.executemany(
                    "INSERT INTO pictures VALUES (?, ?, ?)",
                    [(number, name, jpeg) for name, jpeg in (pictures or {}).items()],
                )
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be written ({error})") from None
        return Entry(number, kind, at_s, dict(data))

    def _transaction(self) -> sqlite3.Connection:
        self._base.execute("BEGIN IMMEDIATE")
        return self._base  # as a context it commits, or rolls back on an error

    def entries(self) -> tuple[Entry, ...]:
        """Every entry, in order."""
        rows = self._base.execute("SELECT number, kind, at_s, data FROM entries ORDER BY number")
        return tuple(Entry(n, kind, at_s, json.loads(text)) for n, kind, at_s, text in rows)

    def entry(self, number: int) -> Entry | None:
        """One entry."""
        row = self._base.execute(
            "SELECT number, kind, at_s, data FROM entries WHERE number = ?", (number,)
        ).fetchone()
        return Entry(row[0], row[1], row[2], json.loads(row[3])) if row else None

    def picture(self, entry: int, name: str) -> bytes | None:
        """A picture kept with an entry."""
        row = self._base.execute(
            "SELECT jpeg FROM pictures WHERE entry = ? AND name = ?", (entry, name)
        ).fetchone()
        return bytes(row[0]) if row else None
