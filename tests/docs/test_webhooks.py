"""The receiver on the page about webhooks: it accepts what a table sends, and nothing else."""

from __future__ import annotations

import io
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx
from rich.console import Console

from tests.tilesight.outward.receiver import SECRET, sent_to
from tests.web.fake_table import FakeTable
from tilesight.outward.outward import TableOutward
from web.limits.keys import KeyGuard

PAGE = Path(__file__).resolve().parents[2] / "docs" / "webhooks.md"


def test_the_receiver_checks_the_signature() -> None:
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)[0]
    assert SECRET in code
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = code.replace('("", 8000)', f'("127.0.0.1", {port})')
    code = code.replace("http.server.HTTPServer", 'print("up", flush=True) or http.server.HTTPServer')
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with program as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "up\n"
        table = FakeTable()
        with TableOutward(
            table, KeyGuard("SAVANNA7"), sent_to(f"http://127.0.0.1:{port}/"), Console(file=io.StringIO())
        ):
            table.watch().publish("pause", {"paused": True})
            assert '"paused":true' in running.stdout.readline()
        forged = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
        assert (
            httpx.post(f"http://127.0.0.1:{port}/", headers=forged, content=b"{}", timeout=60).status_code
            == 403
        )
        assert running.stdout.readline() == "a wrong signature\n"
        running.kill()
