"""CPU time of every process of a run, by what it is."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import defaultdict
from pathlib import Path

LOOK_S = 1.0
"""Seconds between two looks: what a process did in its last one is not counted."""
NAMES = (
    ("tilesight.app hub", "hub"),
    ("tilesight.app archive", "dask client"),
    ("dask_scheduler", "dask scheduler"),
    ("dask_worker", "dask workers"),
    ("tilesight.club.link", "links"),
    ("tests.club.tables", "tables"),
    ("tests.club.watchers", "spectators"),
    ("postgres", "postgres"),
    ("nginx", "nginx"),
)
"""A word of a command line, and what such a process is; the first that fits. Others are the run itself."""
ITSELF = "the run itself, and its proxy"
TICKS = os.sysconf("SC_CLK_TCK")


class Usage:
    """CPU seconds of this process and of all that it started, and they, while it is entered (Linux)."""

    def __init__(self) -> None:
        self._spent: dict[tuple[int, str], tuple[str, float]] = {}
        # Remembered: whose parent was killed is a child of another.
        self._known = {os.getpid()}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)

    def __enter__(self) -> Usage:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def seconds(self) -> dict[str, float]:
        """CPU seconds so far, the most first."""
        sums: dict[str, float] = defaultdict(float)
        for name, spent_s in tuple(self._spent.values()):
            sums[name] += spent_s
        return {name: round(sums[name], 1) for name in sorted(sums, key=lambda name: -sums[name])}

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            left, self._known = self._known, set()
            while left:
                number = left.pop()
                with contextlib.suppress(OSError):  # it has ended
                    left |= self._look(number) - self._known
                    self._known.add(number)

    def _look(self, number: int) -> set[int]:
        """Note what a process has spent; its children."""
        folder = Path(f"/proc/{number}")
        told = (folder / "stat").read_text().rpartition(")")[2].split()
        spent_s = (int(told[11]) + int(told[12])) / TICKS
        command = (folder / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
        name = next((name for word, name in NAMES if word in command), ITSELF)
        if not command:  # it was killed, and is not taken notice of yet
            name = self._spent.get((number, told[19]), (ITSELF, 0.0))[0]
        self._spent[number, told[19]] = name, spent_s
        children = (path.read_text() for path in folder.glob("task/*/children"))
        return {int(child) for told in children for child in told.split()}
