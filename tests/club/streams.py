"""Cost of spectators at a hub without nginx: the part of a core that its server takes.

``python -m tests.club.streams --number 2000``: serves made-up tables in a process of its own, opens that many
event streams from this machine, changes tables, and prints one JSON document. Exit code 1 where a stream was
refused or cut off, or an event did not reach all.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from tests.tilesight.club.club_parts import free_port
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub, club_table
from tilesight.club.hub_command import PLACES
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.page_server import serve_page
from web.club.app import create_club_app

STREAM = b"GET /api/events?since=%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
KEY = "SAVANNA7"
PATIENCE_S = 60.0
"""Seconds within which an event must have reached all."""


def serve(port: int, tables: int) -> None:
    """Serve made-up tables. Each line on stdin changes one of them, or ends it ("")."""
    club = FakeClub()
    for number in range(tables):
        club.put(club_table(f"hall-{number}"))
    app = create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())
    limiter = ConnectionLimiter(max_connections(PLACES), knows_key=app.state.knows_key)

    def change(stop: Any) -> None:
        for turns, line in enumerate(sys.stdin, 15):
            club.put(club_table(line.strip(), turns=turns))
        stop()

    serve_page(
        app,
        "127.0.0.1",
        port,
        lambda _, stop: Thread(target=change, args=(stop,), daemon=True).start(),
        limiter=limiter,
    )


class Audience:
    """Event streams of this process."""

    def __init__(self, port: int, number: int, version: int) -> None:
        self._sockets = [self._opened(port, version) for _ in range(number)]
        self.refused = sum(b"200 OK" not in one.recv(65536) for one in self._sockets)

    @staticmethod
    def _opened(port: int, version: int) -> socket.socket:
        one = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        one.sendall(STREAM % version)
        return one

    def hear(self) -> int:
        """Read one event on each stream: the number of streams that had none."""
        missed = 0
        for one in self._sockets:
            text = b""
            while b"event: tables" not in text or not text.endswith(b"\n\n\r\n"):
                try:
                    part = one.recv(65536)
                except OSError:
                    part = b""
                if not part:
                    missed += 1
                    break
                text += part
        return missed


def spent_s(process: int) -> float:
    """The CPU seconds that a process has taken (Linux)."""
    fields = (
        Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    )
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(number: int, tables: int, events: int, every_s: float) -> dict[str, Any]:
    """Measure, and return what was found."""
    port = free_port()
    command = [sys.executable, "-m", "tests.club.streams", "--serve", str(port), "--tables", str(tables)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        try:
            with httpx.Client(transport=httpx.HTTPTransport(retries=40), trust_env=False) as client:
                version = client.get(f"http://127.0.0.1:{port}/api/tables").json()["version"]
            audience, missed = Audience(port, number, version), 0
            before_s, began_s = spent_s(server.pid), time.monotonic()
            for event in range(events):
                due_s = began_s + event * every_s
                time.sleep(max(0.0, due_s - time.monotonic()))
                server.stdin.write(f"hall-{event % tables}\n")
                server.stdin.flush()
                missed += audience.hear()
            took_s, cpu_s = time.monotonic() - began_s, spent_s(server.pid) - before_s
        finally:
            server.kill()
    return {
        "streams": number,
        "refused": audience.refused,
        "events": events,
        "missed": missed,
        "cpu_s_of_an_event": round(cpu_s / events, 4),
        "cpu_share": round(cpu_s / took_s, 4),
        "seconds": round(took_s, 1),
    }


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print, or serve."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--number", type=int, default=2000)
    ask.add_argument("--tables", type=int, default=30)
    ask.add_argument("--events", type=int, default=20)
    ask.add_argument("--every", type=float, default=1.0, help="seconds between two changes")
    ask.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    asked = ask.parse_args(given)
    if asked.serve is not None:
        serve(asked.serve, asked.tables)
        return 0
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = measured(asked.number, asked.tables, asked.events, asked.every)
    print(json.dumps(found))
    return 1 if found["refused"] or found["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
