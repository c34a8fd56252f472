"""Starts the link of a live table to its club's hub, a process for which the table never waits."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from tilesight.settings import SettingsError

WRONG = 2
"""Exit code of a link that will never do: a wrong invitation, a log that the hub has otherwise."""
VOID = 3
"""Exit code of a worker's link, and so of this table, where another worker went on with the game."""
AGAIN_S = 3.0
"""Seconds after which a link that broke off is started again."""
END_S = 8.0
"""Seconds for a link to send what is left."""


def checked_hub(hub: str | None) -> str | None:
    """Return the hub named by ``--hub``. Raises SettingsError if the club extra is not installed."""
    if hub is not None and find_spec("nats") is None:
        raise SettingsError("--hub needs the club: pip install 'tilesight[club]'")
    return hub


class HubLink:
    """The link's process, running within a ``with`` block; without a hub nothing happens."""

    def __init__(self, hub: str | None, log: Path, table_url: str) -> None:
        """``log`` is the table's file, ``table_url`` where this computer reaches its page."""
        self._told = json.dumps({"hub": hub, "log": str(log.absolute()), "table": table_url})
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = threading.Event()
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="club link", daemon=True)
        self._wanted = hub is not None

    def __enter__(self) -> Self:
        if self._wanted:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._starting:
            self._ended.set()
            process = self._process
        if process is None:
            return
        _close(process)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _keep(self) -> None:
        """Start the process, and restart it whenever it breaks off."""
        while not self._ended.is_set():
            with self._starting:
                if self._ended.is_set():
                    return
                self._process = process = self._start()
            ended = process.wait()
            _close(process)
            if ended == VOID:
                os._exit(VOID)  # at once: what else would be written here is nobody's game
            if ended in (0, WRONG):
                return
            self._ended.wait(AGAIN_S)

    def _start(self) -> subprocess.Popen[bytes]:
        """Return a link's process that has been told its hub, log and table."""
        process = _ready.pop() if _ready else _started()
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.write(f"{self._told}\n".encode())
            process.stdin.flush()
        return process


_ready: list[subprocess.Popen[bytes]] = []


def prepare_link() -> None:
    """Start a link's process before its table is known, because its imports take longest."""
    _ready.append(_started())


def _started() -> subprocess.Popen[bytes]:
    """Start a link's process, which waits for its first line."""
    return subprocess.Popen(
        [sys.executable, "-m", "tilesight.club.link"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # Ctrl-C at the table's terminal is the table's to hear: its end is sent before the link ends.
        start_new_session=os.name == "posix",
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    """Notify a link that its table has ended."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
