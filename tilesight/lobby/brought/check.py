"""Check of brought logs, run in a separate process: `python -m tilesight.lobby.brought.check TASK`.

TASK is the JSON of a `CheckTask`. The process prints a line of JSON before and after each log; the parent
kills it if it takes too long. A log that is accepted is rewritten without keys.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from tilesight.lobby.brought.strict_reader import StrictReader
from tilesight.table_log.event_fold import without_keys
from tilesight.table_log.event_store import SUFFIX, write_log

log = logging.getLogger("tilesight.lobby")
NAME = re.compile(r"\w[\w.-]{0,99}\Z")
"""Pattern of a log's name without its suffix. It matches no path."""
PIECE_BYTES = 1024 * 1024
"""Number of bytes that are copied at a time."""
MEMORY_BYTES = 2_000_000_000
"""Maximum address space of this process, in bytes. Its libraries take a fifth of it."""
LOG_CPU_S = 20
"""Maximum processor time for one log, in seconds."""
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that an export uses. Other methods may need unlimited memory."""

BAD_ZIP = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
"""Errors of a zip file, or of one of its members, that cannot be read."""


class RefusedError(Exception):
    """The whole file is refused; ``code`` is the code of the refusal."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class CheckTask:
    """Task of the check.

    It has the ``file`` with its original ``name``, the ``folder`` for accepted logs, the number of logs to
    ``skip``, and three limits: the bytes of all logs, the number of logs in a zip file, and the bytes that
    must stay free on the disk.
    """

    file: str
    name: str
    folder: str
    skip: int
    most_bytes: int
    most_logs: int
    spare_bytes: int

    def to_text(self) -> str:
        """Return the task as JSON."""
        return json.dumps(asdict(self))


def main() -> None:
    """Check all logs of the task in the first argument."""
    task = CheckTask(**json.loads(sys.argv[1]))
    _limit_memory()
    try:
        for number, stem, copy in _logs_in(task):
            if number < task.skip:
                continue
            _limit_time()
            _tell(begun=number)
            _tell(checked=number, stem=stem, at_s=_rewritten(copy, Path(task.folder) / f"{number}{SUFFIX}"))
    except RefusedError as error:
        _tell(refused=error.code)
    except MemoryError:
        _tell(refused="too_large")
    _tell(done=True)


def _tell(**words: object) -> None:
    print(json.dumps(words), flush=True)


def _limit_memory() -> None:
    """Limit this process's address space, and forbid core dumps."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time() -> None:
    """Limit the processor time from now on: after `LOG_CPU_S` the system kills the process."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LOG_CPU_S, most))


def _logs_in(task: CheckTask) -> Iterator[tuple[int, str, Path]]:
    """Yield the candidate logs as (number, name, path of a copy). Logs to skip are not copied."""
    file, copy = Path(task.file), Path(task.folder) / "candidate"
    if not zipfile.is_zipfile(file):
        _must_fit(task, file.stat().st_size)
        yield 0, _stem(task.name), file
        return
    left = task.most_bytes
    try:
        with zipfile.ZipFile(file) as packed:
            members = [one for one in packed.infolist() if not one.is_dir()]
            if len(members) > task.most_logs:
                raise RefusedError("too_large")
            _must_fit(task, sum(one.file_size for one in members))
            named = [one for one in members if _is_log(one)]
            for number, one in enumerate(named):
                copy.unlink(missing_ok=True)
                if number >= task.skip:
                    with contextlib.suppress(*BAD_ZIP), packed.open(one) as source:
                        left = _copied(source, copy, left)
                yield number, one.filename.removesuffix(SUFFIX), copy
    except BAD_ZIP:
        raise RefusedError("bad_zip") from None


def _must_fit(task: CheckTask, size: int) -> None:
    """Raise RefusedError if ``size`` bytes exceed the task's limit or the free disk space."""
    if size > task.most_bytes:
        raise RefusedError("too_large")
    if shutil.disk_usage(task.folder).free < size + task.spare_bytes:
        raise RefusedError("no_room")


def _is_log(member: zipfile.ZipInfo) -> bool:
    """Whether a member of a zip file has the name and the compression of a log in an export."""
    name = member.filename
    return (
        name.endswith(SUFFIX)
        and NAME.match(name.removesuffix(SUFFIX)) is not None
        and member.compress_type in PACKED
    )


def _copied(source: IO[bytes], copy: Path, most: int) -> int:
    """Copy a stream to a file, and return the number of bytes left of ``most``.

    Raises RefusedError if the stream is longer than ``most`` bytes. A size that the file claims is not
    trusted.
    """
    left = most
    with os.fdopen(os.open(copy, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as target:
        while piece := source.read(PIECE_BYTES):
            left -= len(piece)
            if left < 0:
                raise RefusedError("too_large")
            target.write(piece)
    return left


def _stem(name: str) -> str:
    """Return the name, without suffix, for a log that was uploaded alone."""
    stem = Path(name).name.removesuffix(SUFFIX)
    return stem if NAME.match(stem) else time.strftime("imported-%Y%m%d-%H%M%S")


def _rewritten(copy: Path, place: Path) -> float | None:
    """Rewrite a log to ``place`` if it is sound and holds a game.

    Return the time of its last entry in seconds since 1970; None if it is not accepted.
    """
    try:
        with StrictReader(copy) as reader:
            entries = reader.entries()
            write_log(place, ((without_keys(one), reader.pictures(one.number)) for one in entries))
        from tilesight.lobby.past import NOT_BEGUN, summary_of  # late: takes seconds

        if summary_of(place) is not NOT_BEGUN:
            return entries[-1].at_s
    except Exception as error:  # a malicious log may raise any
        log.info("a log is refused: %s: %s", type(error).__name__, error)
    place.unlink(missing_ok=True)
    return None


if __name__ == "__main__":
    main()
