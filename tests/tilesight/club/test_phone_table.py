"""The whole way of a table without a computer: made at the hub, filmed by a phone, seen for by a worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import free_port, until
from tilesight.sessions.samples import sample_folder

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
PLAYERS = [{"color": "red", "name": "Ana"}, {"color": "blue", "name": "Bo"}]
TABLE = {"name": "Table 7", "game": "safari", "players": PLAYERS}
TURNS = 2
EACH_S = 1.2
"""Seconds for which the phone shows each picture of the sample: a worker that shares its core sees it."""


class Program:
    """`tilesight` as people start it, with a home of its own."""

    def __init__(self, home: Path, *words: str) -> None:
        self._log = home.with_suffix(".log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tilesight.app", *words],
                stdout=log,
                stderr=log,
                env={**os.environ, "TILESIGHT_HOME": str(home), "PYTHONPATH": str(ROOT)},
            )

    @property
    def said(self) -> str:
        return self._log.read_text("utf-8")

    def ready(self) -> dict[str, Any]:
        """What it says when it is ready, as JSON."""
        line = until(lambda: next((one for one in self.said.splitlines() if '"ready"' in one), None), 60)
        told: dict[str, Any] = json.loads(line)
        return told

    def end(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)


def invitation(folder: Path, name: str) -> str:
    """A worker's invitation."""
    words = ["keys", "new", name, "--role", "worker", "--folder", str(folder), "--json"]
    made = subprocess.run(
        [sys.executable, "-m", "tilesight.app", *words], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return str(json.loads(made.stdout)["key"]["url"])


@contextmanager
def club(folder: Path) -> Iterator[httpx.Client]:
    """A hub and a worker; a way to the hub with its key."""
    port = str(free_port())
    keys = folder / "keys"
    with ExitStack() as stack:
        hub = Program(
            folder / "hub", "hub", "--host", "127.0.0.1", "--folder", str(keys), "--port", port, "--json"
        )
        stack.callback(hub.end)
        ready = hub.ready()
        worker = Program(folder / "worker", "worker", "--hub", invitation(keys, "w1"), "--tables", "1")
        stack.callback(worker.end)
        headers = {"X-Table-Key": ready["key"]}
        yield stack.enter_context(httpx.Client(base_url=ready["url"], headers=headers, timeout=60))


def card(client: httpx.Client) -> dict[str, Any]:
    """The table as the hub shows it."""
    [one] = client.get("/api/tables").json()["tables"]
    found: dict[str, Any] = one
    return found


def film(phone: httpx.Client, picture: bytes) -> None:
    """Send a picture again and again, as a phone does that sees nothing new."""
    end_s = time.monotonic() + EACH_S
    while time.monotonic() < end_s:
        assert phone.post("/api/tables/table-7/camera", content=picture).status_code in (200, 429)
        time.sleep(0.26)


def test_a_phone_a_hub_and_a_worker_play_a_game(tmp_path: Path) -> None:
    session = sample_folder("first-light")
    frames = json.loads((session / "session.json").read_text("utf-8"))["frames"]
    with club(tmp_path) as host:
        table = host.post("/api/phone-tables", json=TABLE).json()
        assert card(host)["connection"] == "quiet"
        own = {"X-Table-Key": table["key"]}
        with httpx.Client(base_url=host.base_url, headers=own, timeout=60) as phone:
            until(lambda: card(host)["connection"] == "there", 60)
            for frame in frames:
                film(phone, (session / frame["file"]).read_bytes())
                if card(host)["turns"] >= TURNS:
                    break
            shown = card(host)
            assert (shown["phase"], shown["phone"], shown["fault"]) == ("playing", "open", None)
            assert [one["name"] for one in shown["players"]] == ["Ana", "Bo"]
            undo = phone.post("/api/tables/table-7/command", json={"path": "/api/undo", "body": {}})
            assert undo.status_code == 200, undo.text
            until(lambda: card(host)["turns"] < shown["turns"])
            assert phone.get("/api/tables/table-7/preview.jpg").content.startswith(b"\xff\xd8")
        host.post("/api/phone-tables/table-7/close", json={})
        until(lambda: card(host)["connection"] != "there", 60)
        assert card(host)["phone"] == "closed"
