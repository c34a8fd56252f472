"""`tilesight hub`: started as people start it, a table invited, its game on the page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port, until

ROOT = Path(__file__).resolve().parents[3]


def tilesight(*words: str) -> list[str]:
    return [sys.executable, "-m", "tilesight.app", *words]


@pytest.mark.long
def test_a_table_that_is_invited_comes_to_the_page(tmp_path: Path) -> None:
    folder = ["--folder", str(tmp_path / "club")]
    ports = ["--port", str(free_port())]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    hub = subprocess.Popen(
        tilesight("hub", "--host", "127.0.0.1", *ports, *folder, "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    try:
        assert hub.stdout is not None
        ready = json.loads(hub.stdout.readline() or str(hub.stderr and hub.stderr.read()))
        made = subprocess.run(
            tilesight("keys", "new", "hall-1", *folder, "--json"),
            capture_output=True,
            text=True,
            check=True,
            env=environ,
        )
        invitation = json.loads(made.stdout)["key"]["url"]
        assert invitation.startswith(f"{ready['url']}/join#")
        table = Table(tmp_path / "a.table")
        table.play(2)
        link = LinkProcess(invitation, table.path)
        with httpx.Client(base_url=ready["url"]) as client:

            def shown() -> bool:
                tables = client.get("/api/tables").json()["tables"]
                return [one["turns"] for one in tables] == [2]

            until(shown, 60)
            assert client.get("/healthz").json()["ok"]
        table.close()
        assert "as table hall-1" in link.finish()
    finally:
        hub.send_signal(signal.SIGINT)
        hub.communicate(timeout=60)
