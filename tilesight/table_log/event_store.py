"""Event store: an append-only table log in one SQLite file that survives a crash or a power cut.

Every entry is one transaction in write-ahead mode, and is on the disk before it is published. The game is the
fold of its entries (`tilesight.table_log.event_fold`). Entries are never changed or removed; their pictures
may be removed (`tilesight.table_log.retention`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.message import Message, plain
from tilesight.table_log.sqlite_log import (
    APPLICATION_ID,
    COLUMNS,
    FORMAT,
    FROM_FORMAT_1,
    MARKS,
    TABLES,
    files_of,
    identities,
    once,
    reading,
    referenced,
    unused_beside,
)
from tilesight.table_log.table_lock import TableLock
from vision.image.whole_file import file_beside
from web.table.refusal import LogGone, NotKept

log = logging.getLogger("tilesight.table_log.event_store")

SUFFIX = ".table"
"""Ending of a log's file name."""
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Errors that reading a damaged file raises."""


class StoreError(ValueError):
    """A table's log cannot be used; the message is one line that names the file."""

    @property
    def shown(self) -> Message:
        """The error as a message for the dashboard."""
        return plain(str(self))


class NotKeptError(StoreError, NotKept):
    """An entry could not be written; nothing of it is kept."""

    @property
    def shown(self) -> Message:
        """The error as a message without the file's path, which only this computer's user should see."""
        return Message("this computer's disk takes nothing more: make room")


class GoneError(NotKeptError, LogGone):
    """The log's files were removed while it was written, and no other could be begun."""

    @property
    def shown(self) -> Message:
        """The error as a message without the file's path."""
        return Message("the table's log was removed from this computer")


class NoTableError(StoreError):
    """A file is not a table's log; it is left unchanged."""


class DamagedError(StoreError):
    """A part of a table's log is damaged."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path}: {what}; keep what is sound with: tilesight table repair {path}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One log entry: ``number`` counts from 1, ``at_s`` is seconds since 1970."""

    number: int
    kind: str
    at_s: float
    data: Mapping[str, Any]


class TableStore:
    """One table's file. While it is open, only this process may write it; others may read it."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Open or create the log in ``path``; ``read_only`` changes nothing.

        Raises StoreError if it is not a log, damaged, in use, or cannot be written.
        """
        self.path = path
        self._lock: TableLock | None = None
        self._latest: dict[bytes, tuple[int, str]] = {}
        """The pictures of the latest entry that had some, with the entry and the name that hold each."""
        try:
            self._open(path, read_only)
        except BaseException:
            self._close()
            raise

    def _close(self) -> None:
        if hasattr(self, "_base"):
            self._base.close()
        if self._lock is not None:
            self._lock.free()

    def _open(self, path: Path, read_only: bool) -> None:
        try:
            version = format_of(path)
            if read_only:
                if version is None:
                    raise NoTableError(f"{path}: holds no game")
                self._base = reading(path)
            else:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock = locked(path)
                if not path.exists():
                    path.touch(mode=0o600)  # the table's key will be in it
                self._base = sqlite3.connect(path, timeout=0.5, isolation_level=None, check_same_thread=False)
                self._base.execute("PRAGMA synchronous = FULL")
                if version is None:
                    # Before the write-ahead mode, so that the main file has its mark from the beginning.
                    self._base.executescript(f"BEGIN IMMEDIATE; {TABLES} {MARKS} COMMIT;")
                self._base.execute("PRAGMA journal_mode = WAL")
                if version == 1:
                    self._from_format_1()
            self._version = version if read_only and version is not None else FORMAT
            if self._base.execute("PRAGMA quick_check").fetchone()[0] != "ok":
                raise DamagedError(path, "this table's log is damaged")
            self._files = identities(path)
        except sqlite3.OperationalError as error:
            busy = "locked" in str(error)
            why = "another Tilesight has this table open" if busy else f"cannot be opened ({error})"
            raise StoreError(f"{path}: {why}") from None
        except DAMAGE:
            raise DamagedError(path, "this is no table's log, or it is damaged") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror})") from None

    def _from_format_1(self) -> None:
        """Add checksums to all entries and pictures in one transaction. Raises DamagedError."""
        self._base.create_function("entry_sum", 4, entry_sum, deterministic=True)
        self._base.create_function("picture_sum", 1, zlib.crc32, deterministic=True)
        self._base.execute("BEGIN IMMEDIATE")
        try:
            with self._base:
                for statement in FROM_FORMAT_1:
                    self._base.execute(statement)
        except sqlite3.Error as error:
            raise DamagedError(self.path, f"an entry cannot be read ({error})") from None

    def __enter__(self) -> TableStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def append(
        self,
        kind: str,
        data: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
        *,
        at_s: float | None = None,
    ) -> Entry:
        """Append an entry with its pictures (JPEG by name), and return it; it is on the disk then.

        ``at_s`` is its time in seconds since 1970 (None: now). Raises NotKeptError if it cannot be written;
        nothing of the entry is kept then. A log whose files were removed goes on in another (`secure`).
        """
        self.secure()
        at_s = time.time() if at_s is None else at_s
        try:
            self._base.execute("BEGIN IMMEDIATE")  # holds the write lock
            with self._base:  # which commits, or rolls back on an error
                [number] = self._base.execute("SELECT coalesce(max(number), 0) + 1 FROM entries").fetchone()
                entry = Entry(number, kind, at_s, dict(data))
                _insert(self._base, entry, once(pictures or {}, self._latest))
        except sqlite3.Error as error:
            raise NotKeptError(f"{self.path}: cannot be written ({error})") from None
        with contextlib.suppress(GoneError):  # the entry is in the open file; the next call tries again
            self.secure()
        if pictures:
            self._latest = {one: self._latest.get(one, (number, name)) for name, one in pictures.items()}
        return entry

    @property
    def intact(self) -> bool:
        """Whether the files at the log's path are those that are open."""
        return identities(self.path) == self._files

    def secure(self) -> None:
        """If the log's files were removed or replaced, copy all entries to a new log beside, and go on there.

        ``path`` is the new log's then. Raises GoneError if that is not possible; the next call tries again.
        """
        if self.intact:
            return
        base, lock, made = self._base, self._lock, list[Path]()
        try:
            path = unused_beside(self.path)
            made = files_of(path)
            write_log(path, ((entry, self.pictures(entry.number)) for entry in self.entries()))
            self._open(path, read_only=False)
        except (OSError, sqlite3.Error, StoreError) as error:
            if self._base is not base:
                self._base.close()
            if self._lock is not None and self._lock is not lock:
                self._lock.free()
            self._base, self._lock = base, lock
            for file in made:
                with contextlib.suppress(OSError):
                    file.unlink()
            raise GoneError(f"{self.path}: was removed; no other log can be begun ({error})") from None
        log.error("%s: was removed or replaced while it was written; the game goes on in %s", self.path, path)
        self.path = path
        base.close()
        if lock is not None:
            lock.free()

    def entries(self) -> tuple[Entry, ...]:
        """Return every entry, in order. Raises DamagedError at the first damaged one."""
        return self.after(0, -1)

    def after(self, number: int, at_most: int) -> tuple[Entry, ...]:
        """Return the entries after number ``number``, at most ``at_most``, in order; all if that is negative.

        Those that another process has just written are included. Raises DamagedError if one is damaged or
        missing.
        """
        entries = tuple(self._entries("WHERE number > ? ORDER BY number LIMIT ?", (number, at_most)))
        for expected, entry in enumerate(entries, number + 1):
            if entry.number != expected:
                raise DamagedError(self.path, f"entry {expected} is missing")
        return entries

    def entry(self, number: int) -> Entry | None:
        """Return the entry of that number; None if there is none. Raises DamagedError if it is damaged."""
        return next(self._entries("WHERE number = ?", (number,)), None)

    def _entries(self, which: str, values: tuple[int, ...]) -> Iterator[Entry]:
        """Yield the entries selected by the SQL clause ``which`` with its ``values``; verify each checksum.

        Raises DamagedError.
        """
        try:
            for row in self._base.execute(f"SELECT {COLUMNS[self._version]} FROM entries {which}", values):
                entry = entry_of(row)
                if entry is None:
                    raise DamagedError(self.path, f"entry {row[0]} is damaged")
                yield entry
        except DAMAGE as error:
            raise DamagedError(self.path, f"an entry cannot be read ({error})") from None

    def remove_pictures(self) -> int:
        """Remove all pictures, free their disk space, and return their number.

        Raises NotKeptError if the disk refuses.
        """
        try:
            self._latest = {}
            removed = self._base.execute("DELETE FROM pictures").rowcount
            if removed:
                self._base.execute("VACUUM")
        except sqlite3.Error as error:
            raise NotKeptError(f"{self.path}: cannot be written ({error})") from None
        return removed

    def picture(self, entry: int, name: str) -> bytes | None:
        """Return the JPEG ``name`` kept with entry number ``entry``; None if there is none or damaged."""
        jpeg = self._content(entry, name)
        if jpeg is None or (at := referenced(jpeg)) is None:
            return jpeg
        jpeg = self._content(at[0], at[1])
        return jpeg if jpeg is not None and zlib.crc32(jpeg) == at[2] else None

    def _content(self, entry: int, name: str) -> bytes | None:
        """Return what is kept as a picture, a JPEG or a `reference`; None if there is nothing or damaged."""
        sums = "sum" if self._version > 1 else "NULL"
        try:
            row = self._base.execute(
                f"SELECT jpeg, {sums} FROM pictures WHERE entry = ? AND name = ?", (entry, name)
            ).fetchone()
        except DAMAGE:
            return None
        if row is None or not isinstance(row[0], bytes) or row[1] not in (None, zlib.crc32(row[0])):
            return None
        return row[0]

    def pictures(self, entry: int) -> dict[str, bytes]:
        """Return the undamaged pictures (JPEG) kept with an entry, by name."""
        try:
            names = self._base.execute("SELECT name FROM pictures WHERE entry = ?", (entry,)).fetchall()
        except DAMAGE:
            return {}
        found = {name: self.picture(entry, name) for (name,) in names if isinstance(name, str)}
        return {name: jpeg for name, jpeg in found.items() if jpeg is not None}


def entry_sum(number: int, kind: str, at_s: float, text: str) -> int:
    """Return the checksum (CRC-32) of an entry; ``text`` is its data as JSON."""
    return zlib.crc32(f"{number}\0{kind}\0{at_s!r}\0{text}".encode(errors="surrogatepass"))


def entry_of(row: tuple[Any, ...]) -> Entry | None:
    """Return an entry from its row (number, kind, at_s, data, sum); None if the row is damaged.

    Rows of format 1 have None as sum.
    """
    number, kind, at_s, text, told = row
    if not (isinstance(kind, str) and isinstance(at_s, float) and isinstance(text, str)):
        return None
    if not math.isfinite(at_s):
        return None
    if told is not None and told != entry_sum(number, kind, at_s, text):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Entry(number, kind, at_s, data) if isinstance(data, dict) else None


def write_log(path: Path, entries: Iterable[tuple[Entry, Mapping[str, bytes]]]) -> int:
    """Write a log as a whole (`file_beside`), and return its number of entries.

    ``entries`` has each entry with its pictures (JPEG by name). The log is one file, which only its owner can
    read; it replaces one that no process has open and that has no side files. Raises OSError or sqlite3.Error
    if it cannot be written; nothing changes then.
    """
    with file_beside(path, mode=0o600) as beside, contextlib.closing(sqlite3.connect(beside)) as base:
        # A kill leaves no journal beside the unfinished file.
        base.executescript(f"PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE; {TABLES} {MARKS}")
        with base:
            for entry, pictures in entries:
                _insert(base, entry, pictures)
        return int(base.execute("SELECT count(*) FROM entries").fetchone()[0])


def _insert(base: sqlite3.Connection, entry: Entry, pictures: Mapping[str, bytes]) -> None:
    """Insert an entry and its pictures with their checksums."""
    text = json.dumps(entry.data, ensure_ascii=False, separators=(",", ":"))
    values = (entry.number, entry.kind, entry.at_s, text)
    base.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (*values, entry_sum(*values)))
    base.executemany(
        "INSERT INTO pictures VALUES (?, ?, ?, ?)",
        [(entry.number, name, jpeg, zlib.crc32(jpeg)) for name, jpeg in pictures.items()],
    )


def locked(path: Path) -> TableLock:
    """Lock a log for writing. Raises StoreError if another process holds the lock."""
    try:
        return TableLock(path)
    except BlockingIOError:
        raise StoreError(f"{path}: another Tilesight has this table open") from None


def format_of(path: Path) -> int | None:
    """Return the format of the log in a file; None if there is no file or it is empty.

    Raises NoTableError if it is no table's log, or of an unknown format, and sqlite3.DatabaseError if it is
    damaged. The file is not changed.
    """
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return None
    if not path.is_file():
        raise NoTableError(f"{path}: this is no table's log")
    base = reading(path)
    try:
        mark = int(base.execute("PRAGMA application_id").fetchone()[0])
        version = int(base.execute("PRAGMA user_version").fetchone()[0])
        tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        base.close()
    if mark == 0 and version == 0 and not tables:
        return None
    if mark not in (0, APPLICATION_ID) or (mark == 0 and version == 0):
        raise NoTableError(f"{path}: this is no table's log")
    if version not in COLUMNS:
        raise NoTableError(f"{path}: a table of format {version} is not known here")
    if not {"entries", "pictures"} <= tables:
        raise NoTableError(f"{path}: this is no table's log")
    return version
