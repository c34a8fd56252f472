"""Trash of the library: deleted logs, kept for a month under unique names.

A log is moved with SQLite's side files. They are empty after a checkpoint; those of a damaged log stay with
it.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import sqlite3
import time
from pathlib import Path

from tilesight.table_log.event_store import SUFFIX
from tilesight.table_log.sqlite_log import files_of, with_side_files

log = logging.getLogger("tilesight.lobby")
KEPT_S = 30 * 24 * 3600.0
"""Seconds for which a deleted log is kept: a month."""
AGAIN = "~"
"""Separator between a log's name and a number, used if the trash already has a log of that name."""


class Trash:
    """Folder of deleted logs. Its user must hold a lock, so that only one thread moves logs at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, path: Path) -> None:
        """Move a log into the trash, under a free name. The month begins now."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._empty()
        stem = path.name.removesuffix(SUFFIX)
        names = itertools.chain([stem], (f"{stem}{AGAIN}{number}" for number in itertools.count(2)))
        place = next(place for name in names if is_free(place := self._folder / f"{name}{SUFFIX}"))
        path.touch()  # before the move: if the lobby is killed in between, nothing is deleted too early
        move(path, place)

    def latest(self, game: str) -> Path | None:
        """Return the most recently deleted log of that name; None if there is none."""
        name = re.compile(rf"{re.escape(game)}({AGAIN}\d+)?{re.escape(SUFFIX)}")
        found = [path for path in self._folder.glob(f"*{SUFFIX}") if name.fullmatch(path.name)]
        return max(found, key=lambda path: path.stat().st_mtime_ns, default=None)

    def _empty(self) -> None:
        """Delete logs that have been in the trash for a month."""
        for path in self._folder.glob(f"*{SUFFIX}"):
            if time.time() - path.stat().st_mtime > KEPT_S:
                for file in with_side_files(path):
                    file.unlink(missing_ok=True)


def is_free(path: Path) -> bool:
    """Whether a log may be moved to this name.

    There must be no log of the name and no side file with entries: SQLite would read such entries into the
    moved log. Empty side files and the shared memory (``-shm``) hold no entries.
    """
    _, wal, _, journal = files_of(path)
    return not path.exists() and not any(file.exists() and file.stat().st_size for file in (wal, journal))


def move(path: Path, to: Path) -> None:
    """Move a log with its side files to a free name. No process may have it open.

    The log is moved last, so that at its new place it is never without its write-ahead file.
    """
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=0.5)) as base:
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, UnicodeError) as error:
        log.info("%s: moved as it is (%s)", path, error)
    files, places = with_side_files(path), with_side_files(to)
    for file, moved in reversed(list(zip(files, places, strict=True))):
        if file.exists():
            file.rename(moved)
