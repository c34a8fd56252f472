"""CPU time of every process of a run, by what it is."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from pathlib import Path
from types import TracebackType

LOOK_S = 0.5
"""Seconds between two looks: what a process did in its last one is not counted."""
NAMES = (
    ("nats-server", "nats"),
    ("postgres", "postgres"),
    ("nginx", "nginx"),
    ("tests.club.tables", "tables"),
    ("tests.club.watchers", "spectators"),
    ("tilesight.club.link", "links"),
    ("dask_scheduler", "dask scheduler"),
    ("dask_worker", "dask workers"),
    ("archive", "dask client"),
    ("hub", "hub"),
    ("", "this process, and the proxy"),
)
"""A word of a command line, and what such a process is; the first that fits."""
TICKS = os.sysconf("SC_CLK_TCK")


class Usage:
    """CPU seconds of this process and of all that it started, and they, while it is entered (Linux)."""

    def __init__(self) -> None:
        self._spent: dict[tuple[int, str], tuple[str, float]] = {}
        self._ours = {os.getpid()}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)

    def __enter__(self) -> Usage:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def seconds(self) -> dict[str, float]:
        """CPU seconds so far, the most first."""
        sums: Counter[str] = Counter()
        for name, spent_s in tuple(self._spent.values()):
            sums[name] += spent_s  # type: ignore[assignment]
        return {name: round(spent_s, 1) for name, spent_s in sums.most_common()}

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
                with contextlib.suppress(OSError, ValueError):  # it ended meanwhile
                    self._look(int(folder.name), folder)

    def _look(self, number: int, folder: Path) -> None:
        told = (folder / "stat").read_text().rpartition(")")[2].split()
        if int(told[1]) not in self._ours and number not in self._ours:
            return
        # Remembered: whose parent was killed is a child of another.
        self._ours.add(number)
        spent_s = (int(told[11]) + int(told[12])) / TICKS
        known = self._spent.get((number, told[19]))
        command = (folder / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
        name = next(name for word, name in NAMES if word in command)
        if command or known is None:
            self._spent[number, told[19]] = name, spent_s
        else:  # it died and is not yet taken notice of
            self._spent[number, told[19]] = known[0], spent_s
