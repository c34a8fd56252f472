"""Watched files: the pictures of a folder that a table has taken, in the order in which it took them.

The clock may be set back while the program is not running. Times therefore do not show which pictures are
new, nor which of two was taken first. The list is kept in a text file beside the table's log. Without the
file, or if the table now watches another folder, times decide.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
from collections.abc import Collection, Mapping
from pathlib import Path

from vision.image.whole_file import file_beside
from vision.observation import Mark

FileStamp = tuple[int, int]
"""Modification time of a file (nanoseconds) and its size in bytes. Together they identify a file's
content."""
KEPT_AT_MOST = 50_000
"""Maximum number of latest pictures that the list keeps across a restart."""

log = logging.getLogger("tilesight.live.folder")


class WatchedFiles:
    """List of the pictures that were taken from a folder.

    The file's first line is the folder; each further line is ``[mtime_ns, size, name, left_out]`` of one
    picture. The list only saves work and is no record of the game: if the file cannot be read or written,
    this is reported and the file is not used.
    """

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        """Read the list in ``file`` if it is of this folder.

        Without a file, the list is only kept in memory.
        """
        self._file = file
        self._at: dict[tuple[FileStamp, str], int] = {}
        self._places = itertools.count()
        self._left_out: set[tuple[FileStamp, str]] = set()
        self._known = False
        if file is None:
            return
        head = json.dumps(str(folder.resolve()))
        found = _lines_of(file, head)
        self._known = bool(found)
        for line in found[-KEPT_AT_MOST:]:
            self._add(*line)
        try:
            self._write_anew(head)
        except OSError as error:
            self._give_up(error)

    def take(self, name: str, stamp: FileStamp, *, left_out: bool = False) -> None:
        """Record that a picture was taken, or that it is ``left_out`` permanently."""
        named = text_of(name)
        self._add(stamp[0], stamp[1], named, left_out)
        if self._file is not None:
            try:
                with self._file.open("a", encoding="utf-8") as lines:
                    lines.write(_line(stamp, named, left_out))
            except OSError as error:
                self._give_up(error)

    def leave_out(self, name: str, stamp: FileStamp) -> None:
        """Leave a picture out permanently, unless it was taken."""
        if (stamp, text_of(name)) not in self._at:
            self.take(name, stamp, left_out=True)

    def waiting(self, present: Mapping[str, FileStamp], used: Collection[Mark]) -> list[str]:
        """Return the names among ``present`` of the pictures to be taken, in order.

        ``used`` are the marks of the pictures that decided the log's turns. First come the pictures that were
        taken after the last of these, then all that were never taken, by time. Without a list, the pictures
        later than the last of ``used`` are returned.
        """
        files = {(stamp, text_of(name)): name for name, stamp in present.items()}
        marks = set(used)
        places = [at for (stamp, name), at in self._at.items() if (stamp[0], name) in marks]
        last, latest = max(places, default=-1), max(used, default=None)
        again: list[tuple[int, str]] = []
        fresh: list[tuple[Mark, str]] = []
        for (stamp, named), name in files.items():
            if (stamp, named) in self._left_out:
                continue
            mark, at = (stamp[0], named), self._at.get((stamp, named))
            by_time = latest is None or mark > latest
            if at is None:
                if self._known or by_time:
                    fresh.append((mark, name))
            elif at > last if places else by_time:
                again.append((at, name))
        return [name for _, name in (*sorted(again), *sorted(fresh))]

    def _give_up(self, error: OSError) -> None:
        """Report that the file cannot be written, and stop using it."""
        log.warning("%s: %s; watched pictures are not remembered", self._file, error.strerror)
        self._file = None

    def _add(self, mtime_ns: int, size: int, name: str, left_out: bool) -> None:
        """Add a picture at the end of the list."""
        key = ((mtime_ns, size), name)
        self._at.pop(key, None)
        self._at[key] = next(self._places)
        if left_out:
            self._left_out.add(key)

    def _write_anew(self, head: str) -> None:
        """Replace the file by one with the current list."""
        assert self._file is not None
        with (
            file_beside(self._file, mode=0o600) as beside,
            beside.open("w", encoding="utf-8") as file,
        ):
            file.write(f"{head}\n")
            for stamp, name in self._at:
                file.write(_line(stamp, name, (stamp, name) in self._left_out))


def text_of(name: str) -> str:
    """Return the name of a file as text; bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode(errors="replace")


def _line(stamp: FileStamp, name: str, left_out: bool) -> str:
    """Return the line for a picture."""
    return json.dumps([*stamp, name, left_out]) + "\n"


def _lines_of(file: Path, head: str) -> list[tuple[int, int, str, bool]]:
    """Return the pictures that a file lists; none if there is no such file or it is of another folder."""
    try:
        first, *lines = file.read_text("utf-8", errors="replace").splitlines() or [""]
    except FileNotFoundError:
        return []
    except OSError as error:
        log.warning("%s: %s; watched pictures are not remembered", file, error.strerror)
        return []
    found = []
    for line in lines if first == head else ():
        with contextlib.suppress(ValueError, TypeError):  # a crash may have truncated a line
            mtime_ns, size, name, left_out = json.loads(line)
            found.append((int(mtime_ns), int(size), str(name), bool(left_out)))
    return found
