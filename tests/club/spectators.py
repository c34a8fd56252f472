"""Spectators by the thousand on this machine: how late each event reaches each of them.

``python -m tests.club.spectators --number 9000``: starts nginx with Nchan, opens that many connections from
addresses of 127.0.0.0/8, tells events as the hub does, and says who heard what and when.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.club.lateness import lateness
from tests.club.watchers import EACH_ADDRESS
from tests.tilesight.club.nginx_servers import nginx_serving
from tilesight.club.fan_out import NchanFanOut

SPARE_DESCRIPTORS = 500
"""Descriptors that a process needs beside its spectators."""
PATIENCE_S = 10.0
"""Seconds after the last event after which those that have not come are missed."""
CHANNEL = "tables"
"""The hub's channel of all tables."""


class Audience:
    """Processes of spectators, one for each core, who hear the events of all tables."""

    def __init__(self, folder: Path, number: int, port: int) -> None:
        """``port`` is nginx's; fewer are opened where descriptors are limited."""
        cores = os.cpu_count() or 1
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.number = min(number, cores * (most - SPARE_DESCRIPTORS))
        self._wanted, self._descriptors = number, most
        self._shares = [self.number // cores + (n < self.number % cores) for n in range(cores)]
        self._folder, self._port = folder, port
        self._processes: list[subprocess.Popen[str]] = []
        self._opened_s = 0.0

    def open(self) -> None:
        """Open them all; comes back when they are open, or time is over."""
        began = time.monotonic()
        first = 2
        for number, share in enumerate(self._shares):
            words = (str(self._port), "/api/events", str(share), str(first), str(self._file(number)))
            command = [sys.executable, "-m", "tests.club.watchers", *words]
            one = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._processes.append(one)
            first += share // EACH_ADDRESS + 1
        for one in self._processes:
            assert one.stdout is not None
            one.stdout.readline()
        self._opened_s = time.monotonic() - began

    def close(self) -> Sequence[Path]:
        """End them once the latest events have had time to come; the files of what they noted."""
        time.sleep(PATIENCE_S)
        for one in self._processes:
            one.communicate("\n")
        return [self._file(number) for number in range(len(self._shares))]

    def kill(self) -> None:
        """End their processes, whatever they do."""
        for one in self._processes:
            one.kill()
            one.communicate()

    def wrong(self, told: dict[str, Any]) -> list[str]:
        """What is wrong with what they heard (`tests.club.lateness.lateness`)."""
        told |= {"wanted": self._wanted, "descriptors": self._descriptors}
        told["opening_s"] = round(self._opened_s, 1)
        wrong = []
        if told["opened"] != self.number or told["cut_off"]:
            wrong.append(
                f"{told['opened']} of {self.number} spectators were let in, {told['cut_off']} cut off"
            )
        if told["delivered"] != told["expected"] or told["out_of_order"]:
            wrong.append("spectators missed events")
        if told["from_post"]["p95_s"] is None or told["from_post"]["p95_s"] > 1:
            wrong.append("spectators heard events late")
        return wrong

    def _file(self, number: int) -> Path:
        return self._folder / f"heard-{number}.npz"


async def _tell(publish: str, events: int, every_s: float, size: int) -> None:
    """Tell events."""
    async with NchanFanOut(publish, CHANNEL) as hub:
        for n in range(events):
            hub.tell(json.dumps({"number": n, "told_s": time.time(), "more": "x" * size}))
            await asyncio.sleep(every_s)


def spectators(folder: Path, number: int, events: int, every_s: float, size: int) -> dict[str, Any]:
    """What spectators of an nginx of their own heard, and what is wrong with it."""
    with nginx_serving(folder / "nginx") as nginx:
        audience = Audience(folder, number, nginx.port)
        try:
            audience.open()
            asyncio.run(_tell(f"http://{nginx.publish}/pub", events, every_s, size))
            told = lateness(audience.close())
        finally:
            audience.kill()
    wrong = audience.wrong(told)
    if told["events"] != events:
        wrong.append(f"{told['events']} of {events} events were heard")
    return {**told, "wrong": wrong}


def main() -> int:
    """Measure, print one JSON document; exit 1 where an event was missed or p95 is above a second."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--number", type=int, default=9000)
    ask.add_argument("--events", type=int, default=20)
    ask.add_argument("--every", type=float, default=1.5, help="seconds between them")
    ask.add_argument("--size", type=int, default=1500, help="bytes of an event")
    asked = ask.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = spectators(Path(folder), asked.number, asked.events, asked.every, asked.size)
    print(json.dumps(told))
    return 1 if told["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
