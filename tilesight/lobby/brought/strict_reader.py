"""Strict reader of a log from elsewhere. Everything that it returns is checked and limited in size.

The file is an untrusted database. It is opened without its side files, and only the two tables of a log are
read.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

from tilesight.lobby.brought.entry_shapes import StrangeLogError, check_entry
from tilesight.table_log.event_store import Entry, entry_of
from tilesight.table_log.sqlite_log import APPLICATION_ID, COLUMNS, FORMAT, referenced

PICTURE_BYTES = 16_000_000
"""Maximum size of a picture, in bytes."""
ENTRY_BYTES = 1_000_000
"""Maximum size of an entry's JSON, in bytes. A pack in it takes at most a quarter of this."""
LOG_BYTES = 50_000_000
"""Maximum size of the JSON of all entries, in bytes."""
ENTRIES = 20_000
"""Maximum number of entries in a log. A game of one evening has some hundred."""
PICTURES = 4
"""Maximum number of pictures of an entry."""
REFERENCED_BYTES = 500_000_000
"""Maximum size of the pictures to which other entries refer, in bytes. A picture counts once per
reference."""
HEAP_BYTES = 200_000_000
"""Maximum memory of SQLite, in bytes."""
LOG_PARTS = frozenset({"entries", "pictures", "sqlite_autoindex_pictures_1"})
"""Names of all tables and indices in the database of a log."""
FORBIDDEN_WORDS = re.compile(r"\b(VIRTUAL|GENERATED|AS|CHECK|TRIGGER|VIEW)\b", re.IGNORECASE)
"""Matches words of table definitions that compute something. The definitions of a log's tables have none of
them."""
PICTURE_NAME = re.compile(r"[a-z]{1,20}\Z")
"""Matches the name of a picture."""
JPEG = b"\xff\xd8\xff"
"""First bytes of every JPEG."""


class StrictReader:
    """Reader of one log from elsewhere.

    Its methods raise StrangeLogError or sqlite3.Error for a file that does not have the form in which
    Tilesight writes logs.
    """

    def __init__(self, path: Path) -> None:
        self._referenced_left = REFERENCED_BYTES
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
        """Return the version of the log's format.

        Raises StrangeLogError unless the database has exactly the tables of a log, without anything that runs
        code when it is read.
        """
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
        """Return the undamaged pictures (JPEG) of an entry by name.

        Raises StrangeLogError if references to earlier pictures would make the log too large.
        """
        found = {}
        for name, content in self._contents("entry = ?", entry):
            if PICTURE_NAME.match(name) and (jpeg := self._jpeg(content)) is not None:
                found[name] = jpeg
        return found

    def _jpeg(self, content: bytes) -> bytes | None:
        """Return the JPEG that ``content`` is or refers to; None if there is none."""
        at = referenced(content)
        if at is not None:
            entry, name, told = at
            content = next((one for _, one in self._contents("entry = ? AND name = ?", entry, name)), b"")
            self._referenced_left -= len(content)
            if self._referenced_left < 0:
                raise StrangeLogError("its pictures are too large")
            if zlib.crc32(content) != told:
                return None
        return content if content.startswith(JPEG) else None

    def _contents(self, which: str, *values: object) -> list[tuple[str, bytes]]:
        """Return names and undamaged contents of the pictures that the SQL condition ``which`` selects."""
        checked = "sum" if self._version > 1 else "NULL"
        rows = self._base.execute(
            f"SELECT name, jpeg, {checked} FROM pictures WHERE {which} LIMIT {PICTURES}", values
        )
        return [
            (name, content)
            for name, content, told in rows
            if isinstance(name, str) and isinstance(content, bytes) and told in (None, zlib.crc32(content))
        ]
