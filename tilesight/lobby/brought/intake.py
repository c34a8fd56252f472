"""Import into the library: logs uploaded one by one or in the zip file of an export.

Uploads are untrusted. A separate process reads them (`tilesight.lobby.brought.check`) with limits on time and
memory; this process only moves the files that it has written.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.message import Message
from tilesight.home import tables_folder
from tilesight.lobby.brought import check
from tilesight.lobby.brought.check import LOG_CPU_S, NAME, CheckTask
from tilesight.lobby.brought.workplace import workplace
from tilesight.lobby.trash import is_free
from tilesight.table_log.event_fold import without_keys
from tilesight.table_log.event_store import SUFFIX, Entry, StoreError, TableStore
from tilesight.table_log.log_files import numbered
from web.library import IMPORT_LIMIT_BYTES, ImportResult
from web.table.refusal import Refusal

LOGS_AT_MOST = 2000
"""Maximum number of logs in one zip file."""
SPARE_BYTES = 256 * 1024 * 1024
"""Number of bytes that must stay free on the disk."""
SILENT_S = 6.0 * LOG_CPU_S
"""Seconds without a line after which the check is killed."""
ENDED_AT_MOST = 3
"""Maximum number of killed checks, each because of one log. The logs after the last of these are not read."""
LINE_BYTES = 10_000
"""Maximum length of a line of the check, in bytes."""
REFUSALS = {
    "too_large": ("too_large", Message("there is too much in this file")),
    "no_room": ("no_room", Message("this computer's disk has no room for it")),
    "bad_zip": ("no_games", Message("this zip file cannot be read")),
}
"""Refusals of a whole file (code, message), by the code that the check prints."""


def import_file(file: Path, name: str) -> ImportResult:
    """Import the log, or all logs of the zip file, in ``file``; ``name`` is its original file name.

    Raises Refusal if there is nothing to import.
    """
    brought = here = refused = 0
    with workplace() as folder:
        for stem, copy, at_s in _checked(file, name, folder):
            if copy is None:
                refused += 1
            elif _placed(copy, stem, at_s):
                brought += 1
            else:
                here += 1
    if not brought and not here:
        raise Refusal("no_games", Message("there is no game of Tilesight in this file"))
    return ImportResult(brought, here, refused)


def _checked(file: Path, name: str, folder: Path) -> Iterator[tuple[str, Path | None, float]]:
    """Yield each log in a file as (name, rewritten copy, time of its last entry in seconds since 1970).

    The copy is None if the log is refused. Raises Refusal if the whole file is refused.
    """
    following = 0
    for _ in range(ENDED_AT_MOST):
        bounds = (IMPORT_LIMIT_BYTES, LOGS_AT_MOST, SPARE_BYTES)
        is_open = False
        for told in _lines(CheckTask(str(file), name, str(folder), following, *bounds)):
            if "refused" in told:
                raise Refusal(*REFUSALS[str(told["refused"])])
            if "done" in told:
                return
            if "begun" in told:
                is_open, following = True, int(told["begun"]) + 1
            elif "checked" in told:
                is_open = False
                copy, at_s = folder / f"{int(told['checked'])}{SUFFIX}", told["at_s"]
                accepted = at_s is not None and NAME.match(str(told["stem"])) and copy.is_file()
                yield str(told["stem"]), copy if accepted else None, float(at_s or 0.0)
        if is_open:  # this log made the check fail
            yield "", None, 0.0


def _lines(task: CheckTask) -> Iterator[dict[str, Any]]:
    """Run the check and yield its lines as JSON objects. Kill it if it is silent for too long."""
    process = subprocess.Popen(
        [sys.executable, "-m", check.__name__, task.to_text()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Each thread of these libraries takes address space, which is limited.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        start_new_session=os.name == "posix",
    )
    assert process.stdout is not None
    try:
        while True:
            watch = threading.Timer(SILENT_S, process.kill)
            watch.start()
            try:
                line = process.stdout.readline(LINE_BYTES)
            finally:
                watch.cancel()
            if not line:
                return
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict):
                    yield told
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _placed(copy: Path, stem: str, at_s: float) -> bool:
    """Move a rewritten log into the folder of tables, under a free name.

    Return False if the same game is there already.
    """
    with TableStore(copy, read_only=True) as store:
        entries = store.entries()
    os.utime(copy, (at_s, at_s))
    for name in numbered(stem):
        place = tables_folder() / f"{name}{SUFFIX}"
        if place.exists() and _holds(place, entries):
            return False
        if is_free(place):
            copy.rename(place)
            return True
    raise AssertionError("names never end")


def _holds(path: Path, entries: tuple[Entry, ...]) -> bool:
    """Whether a log of this computer has the same entries, apart from its keys."""
    try:
        with TableStore(path, read_only=True) as store:
            return tuple(map(without_keys, store.entries())) == entries
    except StoreError:
        return False
