"""Command process of the lobby: a `tilesight` command in a process of its own, whose JSON Lines are read."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

STOP_WITHIN_S = 3.0
"""Seconds within which a command must have ended by itself."""
LINES_KEPT = 20
"""Lines of a command's errors that are kept."""

Line = Mapping[str, Any]
"""A line of JSON that a command told."""


class CommandProcess:
    """A `tilesight` command in a process of its own.

    ``heard`` gets each JSON object from its standard output or standard error, in the reading thread.
    """

    def __init__(
        self, arguments: Sequence[str], heard: Callable[[Line], None], *, asks: bool = False
    ) -> None:
        """With ``asks``, the command sometimes waits for `answer`."""
        self._heard = heard
        self._said: deque[str] = deque(maxlen=LINES_KEPT)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tilesight.app", *arguments],
            stdin=subprocess.PIPE if asks else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=os.name == "posix",
        )
        self._threads = [
            threading.Thread(target=self._listen, args=(lines,), name="errand's lines", daemon=True)
            for lines in (self._process.stdout, self._process.stderr)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def done(self) -> bool:
        """Whether it ended successfully."""
        return self._process.poll() == 0

    @property
    def reason(self) -> str:
        """The last line that was not JSON, without the program's name."""
        lines = [line.strip() for line in self._said if line.strip()]
        return lines[-1].removeprefix("tilesight: ") if lines else ""

    def answer(self) -> None:
        """Send the Enter key that the command waits for."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write("\n")
                self._process.stdin.flush()

    def interrupt(self) -> None:
        """Interrupt it, like Ctrl-C: it ends with what it has."""
        with contextlib.suppress(OSError, ValueError):
            self._process.send_signal(signal.SIGINT)

    def wait(self, within_s: float) -> None:
        """Wait until it has ended and all output is read; kill it after ``within_s`` seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        self.stop()

    def stop(self) -> None:
        """Interrupt it; kill it if it does not end."""
        ended(self._process, STOP_WITHIN_S)
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        for thread in self._threads:
            thread.join(1)

    def _listen(self, lines: Any) -> None:
        """Read a stream until it ends."""
        with lines:
            for line in lines:
                told = None
                with contextlib.suppress(ValueError):
                    told = json.loads(line)
                if isinstance(told, dict):
                    self._heard(told)
                else:
                    self._said.append(line)


def ended(process: subprocess.Popen[str], within_s: float) -> None:
    """Terminate a process; kill it if it has not ended after ``within_s`` seconds."""
    with contextlib.suppress(OSError):
        process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
