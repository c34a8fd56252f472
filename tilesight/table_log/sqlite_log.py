"""SQLite of a log: its tables, its side files, references between pictures, and a read-only connection."""

from __future__ import annotations

import os
import re
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path

FORMAT = 2
"""Version of the file's format. Since 2 every entry and picture has a checksum, and the file is marked as
Tilesight's."""
APPLICATION_ID = 0x54534C54
"""Number in SQLite's file header that marks a table of Tilesight ("TSLT")."""
TABLES = """
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, kind TEXT NOT NULL, at_s REAL NOT NULL, data TEXT NOT NULL, sum INTEGER NOT NULL
);
CREATE TABLE pictures (
  entry INTEGER NOT NULL REFERENCES entries, name TEXT NOT NULL, jpeg BLOB NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY (entry, name)
);
"""
MARKS = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT};"
FROM_FORMAT_1 = (
    "ALTER TABLE entries ADD COLUMN sum INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE pictures ADD COLUMN sum INTEGER NOT NULL DEFAULT 0",
    "UPDATE entries SET sum = entry_sum(number, kind, at_s, data)",
    "UPDATE pictures SET sum = picture_sum(jpeg)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)
COLUMNS = {1: "number, kind, at_s, data, NULL", 2: "number, kind, at_s, data, sum"}
"""Of an entry's row, by the file's format."""
REFERENCE = b"same as "
"""Beginning of the content of a picture that an earlier entry holds; no JPEG begins so."""
Identity = tuple[int, int] | None
"""Device and number of a file (inode); None if there is no file."""


def files_of(path: Path) -> list[Path]:
    """Return a log's file and SQLite's side files: write-ahead, shared memory, rollback journal."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]


def watched_file_of(path: Path) -> Path:
    """Return the file beside a log that lists the pictures taken from a folder (tilesight.live.folder)."""
    return path.with_name(f"{path.name}-watched")


def outbox_of(path: Path) -> Path:
    """Return the SQLite file beside a log of the events that wait for webhooks (tilesight.outward.outbox)."""
    return path.with_name(f"{path.name}-outbox")


def control_file_of(path: Path) -> Path:
    """Return the file beside a log by which a running table is found (tilesight.server.table_control)."""
    return path.with_name(f"{path.name}-control")


def with_side_files(path: Path) -> list[Path]:
    """Return a log's file first, and all files that belong to it, whether they exist or not."""
    beside = (watched_file_of(path), control_file_of(path))
    return [*files_of(path), *beside, *files_of(outbox_of(path))]


def reading(path: Path) -> sqlite3.Connection:
    """Open a read-only connection; first roll back what a killed process left unfinished.

    Raises sqlite3.Error if the file cannot be opened.
    """
    mode = "ro"
    if not os.access(path.parent, os.W_OK):  # nothing can be put beside it either
        mode = "ro&immutable=1"
    elif _needs_recovery(
        path
    ):  # SQLite must roll that back before reading, which a read-only connection cannot
        mode = "rw"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    base = sqlite3.connect(address, timeout=0.5, isolation_level=None, check_same_thread=False, uri=True)
    base.execute("PRAGMA query_only = ON")
    return base


def _needs_recovery(path: Path) -> bool:
    """Whether a process was killed during a change, before the log was in write-ahead mode."""
    try:
        return files_of(path)[-1].stat().st_size > 0
    except OSError:
        return False


def identities(path: Path) -> tuple[Identity, Identity]:
    """Return the identity of a log's file, and of its write-ahead file, as they are at its path now."""
    main, ahead = map(_identity, files_of(path)[:2])
    return main, ahead


def _identity(path: Path) -> Identity:
    try:
        told = path.stat()
    except OSError:
        return None
    return told.st_dev, told.st_ino


def unused_beside(path: Path) -> Path:
    """Return a path in the same folder at which there is no file of a log: NAME-2 to NAME-9.

    Raises FileExistsError if all are used: a disk that numbers its files anew all the time fills no folder.
    """
    stem = re.sub(r"-[2-9]$", "", path.stem)
    for number in range(2, 10):
        beside = path.with_name(f"{stem}-{number}{path.suffix}")
        if not any(file.exists() for file in files_of(beside)):
            return beside
    raise FileExistsError(f"{path.parent}: holds too many logs of this table")


def reference(entry: int, name: str, jpeg: bytes) -> bytes:
    """Return the content of a picture that is that of an earlier entry, in place of the JPEG."""
    return REFERENCE + f"{entry} {name} {zlib.crc32(jpeg)}".encode()


def once(pictures: Mapping[str, bytes], held: Mapping[bytes, tuple[int, str]]) -> dict[str, bytes]:
    """Return pictures by name; for each that ``held`` has, with its entry and name there, a reference."""
    return {name: reference(*held[one], one) if one in held else one for name, one in pictures.items()}


def referenced(content: bytes) -> tuple[int, str, int] | None:
    """Return the entry, name and checksum of the picture to which a content refers; None if it is a JPEG."""
    if not content.startswith(REFERENCE):
        return None
    try:
        entry, name, told = content.removeprefix(REFERENCE).decode().split(" ")
        number = int(entry)
        return (number, name, int(told)) if 0 < number < 1 << 63 else None  # what SQLite can look up
    except ValueError:
        return None
