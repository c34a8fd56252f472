"""Lock of a table: one process at a time writes its log, while others may read it.

A file beside the log represents the lock; the system releases it however its holder ends. The file itself
stays: if it were removed, two processes could hold two files of the same name.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


class TableLock:
    """Lock for writing one table's log, held until `free`.

    Raises BlockingIOError if another process holds it, any other OSError if the lock file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(lock_file_of(path), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except BaseException:
            os.close(self._file)
            raise

    def free(self) -> None:
        """Release the lock."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1

    def __enter__(self) -> TableLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def lock_file_of(path: Path) -> Path:
    """Return the lock file of a log."""
    return path.with_name(f"{path.name}-lock")


def _lock(file: int) -> None:
    """Lock an open file descriptor without blocking. Raises BlockingIOError if it is locked already."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from None
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
