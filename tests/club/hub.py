"""`tilesight hub` as a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.tilesight.club.club_parts import free_port


class HubProcess:
    """The hub of a club's folder; it can be killed and started again."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.database = database
        self.publish: str | None = None
        """Where nginx takes events, if any does."""
        self.spectators_port = 0
        """The port at which nginx serves them."""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, or start it again."""
        words = [sys.executable, "-m", "tilesight.app", "hub", "--host", "127.0.0.1", "--json"]
        words += ["--port", str(self.port), "--folder", str(self.folder), "--database", self.database]
        if self.publish is not None:
            words += ["--spectators", self.publish]
        with (self.folder / "hub.log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)

    def kill(self) -> None:
        """SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it, as who presses Ctrl-C."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)

    def asked(self, path: str) -> dict[str, Any]:
        """Its answer, also where that says that something is wrong. OSError where it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=10) as answer:
                told: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                told = json.load(error)
        return told
