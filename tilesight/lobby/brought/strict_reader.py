"""Strict reader of a log from elsewhere: all that it returns is bounded and checked.

The file is an untrusted database. It is opened alone, as it is, and only the two tables of a log are read.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

from tilesight.lobby.brought.entry_shapes import StrangeLogError, check_entry
from tilesight.table_log.event_store import APPLICATION_ID, COLUMNS, FORMAT, Entry, entry_of

PICTURE_BYTES = 16_000_000
"""Bytes of a picture at most."""
ENTRY_BYTES = 1_000_000
"""Bytes of an entry's JSON at most; a pack in it has at most a quarter of this."""
LOG_BYTES = 50_000_000
"""Bytes of the JSON of all entries at most."""
ENTRIES = 20_000
"""Entries of a log at most. The game of an evening has some hundred."""
PICTURES = 4
"""Pictures of an entry at most."""
HEAP_BYTES = 200_000_000
"""Bytes of memory that SQLite may use."""
LOG_PARTS = frozenset({"entries", "pictures", "sqlite_autoindex_pictures_1"})
"""Names of all that the database of a log has."""
FORBIDDEN_WORDS = re.compile(r"\b(VIRTUAL|GENERATED|AS|CHECK|TRIGGER|VIEW)\b", re.IGNORECASE)
"""Words that the definitions of a log's tables never have: they would compute something."""
PICTURE_NAME = re.compile(r"[a-z]{1,20}\Z")
"""Matches the name of a picture."""
JPEG = b"\xff\xd8\xff"
"""First bytes of a picture."""


class StrictReader:
    """Reader of one log from elsewhere. Its methods raise StrangeLogError or sqlite3.Error for a file that is
    not as Tilesight writes logs."""

    def __init__(self, path: Path) -> None:
        self._base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, PICTURE_BYTES)
            for setting in (
                "trusted_schema = OFF",
                "cell_size_check = ON",
                f"hard_heap_limit = {HEAP_BYTES}",
            ):
                self._base.execute(f"PRAGMA {setting}")
            self._version = self._checked_version()
        except BaseException:
            self._base.close()
            raise

    def __enter__(self) -> StrictReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def _checked_version(self) -> int:
        """Return the log's format. The database must have exactly the tables of a log, and nothing that runs
        code when it is read."""
        mark = int(self._base.execute("PRAGMA application_id").fetchone()[0])
        version = int(self._base.execute("PRAGMA user_version").fetchone()[0])
        if (mark, version) not in ((APPLICATION_ID, FORMAT), (0, 1)):
            raise StrangeLogError("it has another format")
        rows = self._base.execute("SELECT type, name, sql FROM sqlite_master LIMIT 10").fetchall()
        if {name for _, name, _ in rows} != LOG_PARTS or any(
            kind not in ("table", "index") or FORBIDDEN_WORDS.search(sql or "") for kind, _, sql in rows
        ):
            raise StrangeLogError("it has other tables")
        return version

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, in order."""
        found: list[Entry] = []
        bytes_left = LOG_BYTES
        for row in self._base.execute(f"SELECT {COLUMNS[self._version]} FROM entries ORDER BY number"):
            text = row[3] if isinstance(row[3], str) else ""
            size = len(text.encode())
            bytes_left -= size
            if size > ENTRY_BYTES or bytes_left < 0 or len(found) == ENTRIES:
                raise StrangeLogError("it is too large")
            entry = entry_of(row)
            if entry is None or entry.number != len(found) + 1:
                raise StrangeLogError(f"entry {len(found) + 1} is damaged or missing")
            check_entry(entry, text, found[0] if found else None)
            found.append(entry)
        if not found:
            raise StrangeLogError("it has no entries")
        return tuple(found)

    def pictures(self, entry: int) -> Mapping[str, bytes]:
        """Return the pictures (JPEG) of an entry by name, without those that are damaged or none."""
        checked = "sum" if self._version > 1 else "NULL"
        rows = self._base.execute(
            f"SELECT name, jpeg, {checked} FROM pictures WHERE entry = ? LIMIT {PICTURES}", (entry,)
        )
        return {name: jpeg for name, jpeg, told in rows if _is_picture(name, jpeg, told)}


def _is_picture(name: object, jpeg: object, told: object) -> bool:
    """Whether a row holds a picture with its checksum; ``told`` is None where the format has none."""
    return (
        isinstance(name, str)
        and PICTURE_NAME.match(name) is not None
        and isinstance(jpeg, bytes)
        and jpeg.startswith(JPEG)
        and told in (None, zlib.crc32(jpeg))
    )
