"""Files that are replaced as a whole: a process that is killed leaves the old content, or the new one."""

from __future__ import annotations

import contextlib
import os
import sys
from glob import escape
from pathlib import Path

ENDING = ".new"
"""Ending of the name under which new content is written beside a file."""


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Replace a file, or create it, so that readers find the old content or the new one.

    The folder is created. ``mode`` gives the rights of the file, less the process's umask. Content that
    killed processes left beside the file is removed. Raises OSError if the file cannot be written; nothing is
    left then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}{ENDING}")
    beside.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _remove_leftovers(path: Path) -> None:
    """Remove what processes that do not run any more left beside a file."""
    begins = f".{path.name}."
    for beside in path.parent.glob(f"{escape(begins)}*{ENDING}"):
        number = beside.name.removeprefix(begins).removesuffix(ENDING)
        if number.isdecimal() and not _runs(int(number)):
            with contextlib.suppress(OSError):
                beside.unlink()


def _runs(process: int) -> bool:
    """Whether a process runs, as far as the system says it without ending the process (not on Windows)."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
