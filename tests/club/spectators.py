"""Spectators by the thousand on this machine: how late each event reaches each of them.

``python -m tests.club.spectators --number 9000``: starts nginx with Nchan, opens that many connections from
addresses of 127.0.0.0/8, tells events as the hub does, and says who heard what and when.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.tilesight.club.nginx_servers import nginx_serving
from tilesight.club.fan_out import NchanFanOut

SPARE_DESCRIPTORS = 500
"""Descriptors that a process needs beside its spectators."""
EACH_ADDRESS = 1500
"""Spectators behind one address, fewer than nginx lets in and than there are ports."""
OPENING = 200
"""Connections that are opened at the same time."""
PATIENCE_S = 30.0
"""Seconds after the last event after which those that have not come are missed."""


@dataclass
class Heard:
    """Lateness of every event at every spectator, in seconds; and what went wrong."""

    late_s: list[float] = field(default_factory=list)
    out_of_order: int = 0
    ended: int = 0
    open: int = 0


class Spectator(asyncio.Protocol):
    """One connection that hears a table's events."""

    def __init__(self, table: str, heard: Heard) -> None:
        self._table, self._heard = table, heard
        self._rest, self._last, self._there = b"", -1, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the events."""
        assert isinstance(transport, asyncio.Transport)
        transport.write(
            f"GET /sub/{self._table} HTTP/1.1\r\nHost: club\r\nAccept: text/event-stream\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take the events in what came."""
        now = time.monotonic()
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"HTTP/1.1 200"):
                self._heard.open += 1
                self._there = True
            elif line.startswith(b"data: "):
                event = json.loads(line[6:])
                self._heard.late_s.append(now - event["told_s"])
                self._heard.out_of_order += event["number"] != self._last + 1
                self._last = event["number"]

    def connection_lost(self, error: Exception | None) -> None:
        """Count those that were cut off."""
        self._heard.ended += 1


async def _open(number: int, tables: int, port: int, heard: Heard) -> list[asyncio.BaseTransport]:
    loop, room = asyncio.get_running_loop(), asyncio.Semaphore(OPENING)
    opened: list[asyncio.BaseTransport] = []

    async def one(n: int) -> None:
        async with room:
            from_address = (f"127.0.0.{2 + n // EACH_ADDRESS}", 0)
            transport, _ = await loop.create_connection(
                lambda: Spectator(f"t{n % tables}", heard), "127.0.0.1", port, local_addr=from_address
            )
            opened.append(transport)

    await asyncio.gather(*(one(n) for n in range(number)))
    until = time.monotonic() + PATIENCE_S
    while heard.open < number and time.monotonic() < until:
        await asyncio.sleep(0.05)
    return opened


async def measured(
    number: int, events: int, every_s: float, size: int, tables: int, port: int, publish: str
) -> dict[str, float]:
    """What ``number`` spectators of ``tables`` tables heard of ``events`` events of each."""
    heard = Heard()
    began = time.monotonic()
    opened = await _open(number, tables, port, heard)
    opening_s = time.monotonic() - began
    async with NchanFanOut(publish) as hub:
        for n in range(events):
            for table in range(tables):
                told = {"number": n, "told_s": time.monotonic(), "more": "x" * size}
                hub.tell(f"t{table}", json.dumps(told))
            await asyncio.sleep(every_s)
        until = time.monotonic() + PATIENCE_S
        while len(heard.late_s) < number * events and time.monotonic() < until:
            await asyncio.sleep(0.1)
        late, ended, posted = sorted(heard.late_s), heard.ended, hub.posted
    for transport in opened:
        transport.close()
    return {
        "spectators": number,
        "opened": heard.open,
        "opening_s": round(opening_s, 2),
        "events": events * tables,
        "posted": posted,
        "expected": number * events,
        "delivered": len(late),
        "out_of_order": heard.out_of_order,
        "cut_off": ended,
        "late_p50_s": round(late[len(late) // 2], 3) if late else -1,
        "late_p95_s": round(late[int(0.95 * len(late))], 3) if late else -1,
        "late_max_s": round(late[-1], 3) if late else -1,
    }


def room_for(number: int) -> int:
    """As many spectators of ``number`` as this process may have descriptors for."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return min(number, most - SPARE_DESCRIPTORS)


def spectators(
    folder: Path, number: int, events: int = 20, every_s: float = 1.5, size: int = 1500, tables: int = 1
) -> dict[str, float]:
    """The same with an nginx of its own."""
    number = room_for(number)
    with nginx_serving(folder) as nginx:
        publish = f"http://{nginx.publish}/pub"
        return asyncio.run(measured(number, events, every_s, size, tables, nginx.port, publish))


def main() -> int:
    """Measure, print one JSON document; exit 1 where an event was missed or p95 is above a second."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--number", type=int, default=9000)
    ask.add_argument("--events", type=int, default=20, help="of each table")
    ask.add_argument("--every", type=float, default=1.5, help="seconds between them")
    ask.add_argument("--size", type=int, default=1500, help="bytes of an event")
    ask.add_argument("--tables", type=int, default=1)
    asked = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = spectators(Path(folder), asked.number, asked.events, asked.every, asked.size, asked.tables)
    print(json.dumps(told))
    good = told["delivered"] == told["expected"] and not told["out_of_order"] and told["late_p95_s"] <= 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
