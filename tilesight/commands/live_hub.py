"""Link of a live table to its club's hub. It is a separate process, so that the table never waits for it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Self, get_args

from tilesight.settings import SettingsError
from web.table.vitals import HubState

WRONG = 2
"""Exit code of a link that must not be restarted: its invitation is invalid, or its log contradicts the
hub's."""
VOID = 3
"""Exit code of a worker's link after another worker has taken over the game. The table then ends with the
same code."""
AGAIN_S = 3.0
"""Seconds after which a failed link is restarted."""
END_S = 8.0
"""Seconds that a link has at the end to send the rest of the log."""


def checked_hub(hub: str | None) -> str | None:
    """Return the hub named by ``--hub``. Raises SettingsError if the club extra is not installed."""
    if hub is not None and find_spec("sqlalchemy") is None:
        raise SettingsError("--hub needs the club: pip install 'tilesight[club]'")
    return hub


class HubLink:
    """Context manager that keeps the link's process running; without a hub it does nothing."""

    def __init__(self, hub: str | None, log: Path, table_url: str) -> None:
        """``hub`` is an invitation, ``log`` the table's log, ``table_url`` the address of its page here."""
        self._told = json.dumps({"hub": hub, "log": str(log.absolute()), "table": table_url})
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = threading.Event()
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="club link", daemon=True)
        self._wanted = hub is not None
        self.state: HubState = ""
        """State of the link to the hub."""

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
        """Start the process, and restart it whenever it fails, until `__exit__`."""
        while not self._ended.is_set():
            with self._starting:
                if self._ended.is_set():
                    return
                self._process = process = self._start()
            self._listen(process)
            ended = process.wait()
            _close(process)
            if ended == VOID:
                os._exit(VOID)  # at once, as another process now writes this game's log
            if ended in (0, WRONG):
                return
            self._ended.wait(AGAIN_S)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Read the state of the link until its process ends."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.state = next((one for one in get_args(HubState) if one == line.decode().strip()), "")

    def _start(self) -> subprocess.Popen[bytes]:
        """Return a process of the link, after sending it the hub, log and table on standard input."""
        process = _ready.pop() if _ready else _started()
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.write(f"{self._told}\n".encode())
            process.stdin.flush()
        return process


_ready: list[subprocess.Popen[bytes]] = []


def prepare_link() -> None:
    """Start a process of the link in advance, because its imports take long."""
    _ready.append(_started())


def _started() -> subprocess.Popen[bytes]:
    """Start a process of the link, which waits for its first line on standard input."""
    return subprocess.Popen(
        [sys.executable, "-m", "tilesight.club.link"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Keep Ctrl-C at the table's terminal from the link, which must still send the end of the game.
        start_new_session=os.name == "posix",
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    """Close a link's standard input, which tells it that the table has ended."""
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
