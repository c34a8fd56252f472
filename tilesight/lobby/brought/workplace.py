"""Workplace: a folder for unfinished files, which is removed even if its process is killed."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilesight.home import tables_folder
from tilesight.table_log.table_lock import TableLock, lock_file_of

PREFIX = ".coming-"
"""Beginning of a workplace's name."""
UNLOCKED_S = 3600.0
"""Age in seconds above which a workplace without a lock file is removed. Earlier versions made such
folders."""


@contextmanager
def workplace() -> Iterator[Path]:
    """Yield a new folder beside the logs; it is removed with its contents when the ``with`` block ends.

    A lock marks the folder as in use. Folders of killed processes are removed first.
    """
    tables_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_left_workplaces()
    place, lock = _new_workplace()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        lock_file_of(place).unlink(missing_ok=True)
        lock.free()


def remove_left_workplaces() -> None:
    """Remove the workplaces of killed processes: those that no process has locked."""
    for path in tables_folder().glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # also BlockingIOError: it is in use
            place = path.with_name(path.name.removesuffix("-lock"))
            known = lock_file_of(place).exists()
            if known or time.time() - place.stat().st_mtime > UNLOCKED_S:
                with TableLock(place):
                    shutil.rmtree(place, ignore_errors=True)
                    lock_file_of(place).unlink(missing_ok=True)


def _new_workplace() -> tuple[Path, TableLock]:
    """Return a new folder and its lock."""
    while True:
        place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=tables_folder()))
        try:
            lock = TableLock(place)
        except BlockingIOError:  # another process is about to remove it as abandoned
            continue
        if place.is_dir() and lock_file_of(place).exists():
            return place, lock
        lock.free()
