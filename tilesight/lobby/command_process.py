"""Command process of the lobby: a `tilesight` command as a separate process, whose JSON Lines are read."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from tilesight.camera_option import CAMERA

HUB = "TILESIGHT_HUB"
"""Environment variable for the option `live --hub`."""
OPTION = "--camera="
"""Prefix of the argument that names a camera."""

Line = Mapping[str, Any]
"""A JSON object that a command printed on one line."""


class CommandProcess:
    """A `tilesight` command as a separate process.

    ``heard`` gets each JSON object from its standard output or standard error. It is called in the thread
    that reads them.
    """

    stop_within_s: ClassVar[float] = 3.0
    """Seconds after an interrupt within which the process must end; then it is killed."""

    def __init__(
        self,
        arguments: Sequence[str],
        heard: Callable[[Line], None],
        *,
        asks: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Start the command.

        With ``asks``, the command sometimes waits for `answer`. ``environment`` is added to this process's
        environment. An argument ``--camera=…`` is passed in the environment, because it may contain a
        password, and other users could read it among the arguments.
        """
        self.reason = ""
        """The last line that was not JSON, without the program's name: usually the error message."""
        self._heard = heard
        cameras = [one.removeprefix(OPTION) for one in arguments if one.startswith(OPTION)]
        words = [one for one in arguments if not one.startswith(OPTION)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tilesight.app", *words],
            stdin=subprocess.PIPE if asks else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **environment, **({CAMERA: cameras[-1]} if cameras else {})},
            # Only the lobby gets Ctrl-C from its terminal; it then stops its commands one by one.
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
        """Whether the process is still running."""
        return self._process.poll() is None

    @property
    def done(self) -> bool:
        """Whether the process has ended successfully."""
        return self._process.poll() == 0

    def answer(self) -> None:
        """Send the Enter key for which the command waits."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write("\n")
                self._process.stdin.flush()

    def interrupt(self) -> None:
        """Interrupt the command, like Ctrl-C. It ends with the results so far."""
        with contextlib.suppress(OSError, ValueError):
            self._process.send_signal(signal.SIGINT)

    def wait(self, within_s: float) -> None:
        """Wait until the process has ended and all output is read; kill it after ``within_s`` seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(within_s)
        self.stop()

    def stop(self) -> None:
        """Interrupt the process, and kill it if it does not end within `stop_within_s`."""
        with contextlib.suppress(OSError):
            self._process.terminate()
        try:
            self._process.wait(self.stop_within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        for thread in self._threads:
            thread.join(1)

    def _listen(self, lines: Any) -> None:
        """Read an output stream until it ends."""
        with lines:
            for line in lines:
                told = None
                with contextlib.suppress(ValueError):
                    told = json.loads(line)
                if isinstance(told, dict):
                    self._heard(told)
                elif words := line.strip().removeprefix("tilesight: "):
                    self._say(words)

    def _say(self, words: str) -> None:
        """Store a line that is not JSON."""
        self.reason = words


class TableProcess(CommandProcess):
    """A `tilesight live --json` process. After a stop, its log has everything that was published."""

    stop_within_s = 8.0

    def __init__(self, arguments: Sequence[str], hub: str | None = None) -> None:
        """Start the table; ``hub`` is an invitation to a club's hub.

        The invitation is passed in the environment, because other users could read it among the arguments.
        """
        self.ready: Line = {}
        """The table's first line: url, key, host_key and perhaps camera_url. Empty until the line arrives."""
        environment = {} if hub is None else {HUB: hub}
        super().__init__(["live", *arguments, "--json"], self._hear, environment=environment)

    def _hear(self, line: Line) -> None:
        if line.get("ready"):
            self.ready = line

    def _say(self, words: str) -> None:
        if words != "interrupted":
            super()._say(words)
