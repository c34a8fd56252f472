"""Workplace: a folder for half-made files, which is removed even if its process is killed."""

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
"""Seconds after which a workplace without a lock file is one of an earlier version's."""


@contextmanager
def workplace() -> Iterator[Path]:
    """Yield a new folder beside the logs; it is removed at the end, with all that is in it.

    A lock shows that it is in use. Those of killed processes are removed first.
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
    """Remove the workplaces that killed processes left: those that no process has locked."""
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
        except BlockingIOError:  # another process takes it for one that was left
            continue
        if place.is_dir() and lock_file_of(place).exists():
            return place, lock
        lock.free()
