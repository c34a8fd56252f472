"""Process of one table: starts, monitors and stops `tilesight live`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tilesight.lobby.command_process import ended

STOP_WITHIN_S = 8.0
"""Seconds within which a table must have ended by itself."""
HUB = "TILESIGHT_HUB"
"""Variable of the environment that stands for `live --hub`."""
LINES_KEPT = 20
"""Lines of a process's errors that are kept."""


class TableProcess:
    """A `tilesight live --json` process.

    Its first line on standard output holds the table's address and keys; its last on standard error says why
    it ended.
    """

    def __init__(self, arguments: Sequence[str], hub: str | None = None) -> None:
        """``hub`` is an invitation. It is passed in the environment: among the arguments, other users
        could read it."""
        self._ready: Mapping[str, Any] = {}
        self._said: deque[str] = deque(maxlen=LINES_KEPT)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tilesight.app", "live", *arguments, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=os.environ if hub is None else {**os.environ, HUB: hub},
            # Ctrl-C at the lobby's terminal is the lobby's to hear: it stops its tables one by one.
            start_new_session=os.name == "posix",
        )
        self._threads = [
            threading.Thread(target=listen, name="table's lines", daemon=True)
            for listen in (self._listen, self._listen_to_errors)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def ready(self) -> Mapping[str, Any]:
        """The table's first line: url, key, host_key and perhaps camera_url; empty until it arrives."""
        return self._ready

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def reason(self) -> str:
        """The last line on standard error, without the program's name."""
        lines = [line for line in self._said if line.strip() and line.strip() != "tilesight: interrupted"]
        return lines[-1].strip().removeprefix("tilesight: ") if lines else ""

    def stop(self) -> None:
        """Interrupt the process; kill it if it does not end. The log keeps everything that was published."""
        ended(self._process, STOP_WITHIN_S)
        for thread in self._threads:
            thread.join(1)

    def _listen(self) -> None:
        """Read standard output until it ends."""
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:  # read to the end, so that the table never waits for its reader
                if not self._ready:
                    with contextlib.suppress(ValueError):
                        told = json.loads(line)
                        self._ready = told if isinstance(told, dict) and told.get("ready") else {}

    def _listen_to_errors(self) -> None:
        """Read standard error until it ends."""
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            self._said.extend(lines)
