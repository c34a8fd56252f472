"""A live table as people start it: the command in a process of its own, and its dashboard asked over HTTP."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.matrix.games import ROOT, Kit

PATIENCE_S = 120.0
"""Longest wait for anything that a table says; a machine under load takes its time."""


@dataclass
class LiveTable:
    """A running ``live`` command."""

    process: subprocess.Popen[str]
    log: Path
    ready: dict[str, Any]
    _told: queue.Queue[dict[str, Any] | None]
    told: list[dict[str, Any]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where the dashboard is."""
        return str(self.ready["url"])

    @property
    def key(self) -> str:
        """The table's key."""
        return str(self.ready["key"])

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next line on stdout that is wanted; AssertionError where the command ends without it."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            line = self._told.get(timeout=PATIENCE_S)
            assert line is not None, "the command ended"
            self.told.append(line)
            if wanted(line):
                return line
        raise AssertionError("the table did not say it in time")

    def get(self, path: str, status: int = 200, **query: Any) -> httpx.Response:
        """The table's answer to a request without a key."""
        answer = httpx.get(self.url + path, params=query, timeout=PATIENCE_S)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:300])
        return answer

    def state(self, **query: Any) -> dict[str, Any]:
        """The table's state."""
        return dict(self.get("/api/state", **query).json())

    def post(self, command: str, body: object = None, status: int = 200) -> dict[str, Any]:
        """Send a command with the key."""
        answer = httpx.post(
            f"{self.url}/api/{command}", json=body, headers={"X-Table-Key": self.key}, timeout=PATIENCE_S
        )
        assert answer.status_code == status, (command, answer.status_code, answer.text[:300])
        return dict(answer.json())

    def turns(self) -> list[dict[str, Any]]:
        """The turns in the state."""
        return list(self.state()["turns"])


@contextmanager
def live(kit: Kit, camera: Path | str, table: Path, *more: str) -> Iterator[LiveTable]:
    """``tilesight live`` on a camera, its log in the file ``table``, as JSON Lines; killed at the end."""
    words = [sys.executable, "-m", "tilesight.app", "live", "--game", kit.game, "--pack", kit.pack]
    words += ["--players", kit.players, "--camera", str(camera), "--pace", "fast"]
    words += ["--host", "127.0.0.1", "--port", "0", "--table", str(table), "--json", *more]
    with serving(words, table) as running:
        yield running


@contextmanager
def serving(words: list[str], log: Path, *, stopped: bool = False) -> Iterator[LiveTable]:
    """A command that serves a dashboard and tells it as JSON Lines; killed at the end, or ``stopped`` as by
    Ctrl-C, so that it ends what it began. Tilesight's home is the folder of ``log``."""
    env = {**os.environ, "TILESIGHT_HOME": str(log.parent)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env) as process:
        lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(process, lines))
        reader.start()
        try:
            ready = lines.get(timeout=PATIENCE_S)
            assert ready is not None and ready["ready"] is True, ready
            yield LiveTable(process, log, ready, lines)
        finally:
            if stopped:
                process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE_S)
            process.kill()
            reader.join(PATIENCE_S)


def _read(process: subprocess.Popen[str], lines: queue.Queue[dict[str, Any] | None]) -> None:
    assert process.stdout is not None
    for text in process.stdout:
        try:
            lines.put(json.loads(text))
        except json.JSONDecodeError:  # a line that a kill cut short
            break
    lines.put(None)


def is_turn(number: int) -> Callable[[dict[str, Any]], bool]:
    """Whether a line reports that turn."""
    return lambda line: line.get("type") == "turn" and line.get("turn") == number


def is_result(line: dict[str, Any]) -> bool:
    """Whether a line is the last one of a table."""
    return line.get("type") == "result"
