"""Files of a log: SQLite's side files, their identity, and a connection that only reads."""

from __future__ import annotations

import itertools
import os
import sqlite3
from pathlib import Path

Identity = tuple[int, int] | None
"""Device and number of a file (inode); None if there is no file."""


def files_of(path: Path) -> list[Path]:
    """Return a log's file and SQLite's side files: write-ahead, shared memory, rollback journal."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]


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
    """Return a path in the same folder at which there is no file of a log: NAME-2, NAME-3 and so on."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in itertools.count(2))
    return next(one for one in names if not any(file.exists() for file in files_of(one)))
