"""`tilesight hub` as a process of its own, with the NATS server that it starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.tilesight.club.nats_servers import free_port


class HubProcess:
    """The hub of a club's folder; it can be killed, and so can its NATS server."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.port, self.nats_port, self._monitor_port = free_port(), free_port(), free_port()
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

    def start(self) -> None:
        """Start it, or start it again."""
        words = [sys.executable, "-m", "tilesight.app", "hub", "--host", "127.0.0.1", "--json"]
        words += ["--port", str(self.port), "--nats-port", str(self.nats_port)]
        words += ["--monitor-port", str(self._monitor_port), "--folder", str(self.folder)]
        words += ["--database", self.database]
        if self.publish is not None:
            words += ["--spectators", self.publish]
        with (self.folder / "hub.log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)

    def kill(self) -> None:
        """SIGKILL for the hub; its NATS server goes on."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def kill_nats(self) -> None:
        """SIGKILL for the NATS server; the hub, if it runs, starts it again."""
        os.kill(int((self.folder / "nats-server.pid").read_text("ascii")), signal.SIGKILL)

    def stop(self) -> None:
        """End both, as who presses Ctrl-C."""
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
