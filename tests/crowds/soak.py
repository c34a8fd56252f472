"""`python -m tests.crowds soak`: a live table for a long time, with phones that come and go.

A session's pictures are put into a folder over and over, `tilesight live` watches the folder as a process of
its own, and phones follow it. What that process holds (memory, descriptors, threads) is told every minute.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tests.crowds.phones import Phone
from tilesight.sessions.session import Session, SessionError, read_session

EVERY_S = 3.0
"""Seconds from picture to picture, unless --every-s says otherwise."""
FILES = 8
"""Files in the watched folder; they are written over in turn."""
STAYS_S = 300.0
"""Seconds after which a phone leaves and comes back."""
READY_WITHIN_S = 120.0
"""Seconds within which the table must be served."""
GONE_WITHIN_S = 60.0
"""Seconds within which the table must have ended."""
LONGER = 6
"""How many times as long a run may take until enough pictures were looked at."""
GROWN = 0.05
"""Share by which memory may be larger in the last quarter than in the second (the first warms up)."""


class SoakError(ValueError):
    """A soak that cannot be run; one line that says why."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Process and its table at one moment. ``minute`` is since the table was ready; ``rss_mb`` and
    ``peak_mb`` are memory now and at its peak, ``cpu_s`` the processor's seconds so far, ``pictures`` those
    looked at, ``turns`` those on the table now, ``log_kb`` the table's file with what lies beside it."""

    minute: float
    rss_mb: float
    peak_mb: float
    descriptors: int
    threads: int
    cpu_s: float
    pictures: int
    turns: int
    events: int
    log_kb: int


def soak_command(
    session: Annotated[
        Path, typer.Argument(metavar="SESSION", help="the session whose pictures are repeated")
    ],
    minutes: Annotated[float, typer.Option(min=0.1, help="how long")] = 60.0,
    phones: Annotated[int, typer.Option(min=0, help="how many phones follow")] = 50,
    every_s: Annotated[float, typer.Option(min=0.05, help="seconds from picture to picture")] = EVERY_S,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Keep a live table and its phones running: do memory, descriptors and threads stay as they are?

    Exit 1 where they grow, where an event is missed, or where the table ends by itself.
    """
    if not Path("/proc/self/fd").is_dir():
        raise SoakError("soak reads /proc, which only Linux has")
    with tempfile.TemporaryDirectory(prefix="tilesight-soak-") as scratch:
        soak = Soak(read_session(session), Path(scratch), phones, every_s)
        result = asyncio.run(soak.run(60 * minutes, tell=None if as_json else _tell))
    if as_json:
        print(json.dumps({"tilesight": 1, "soak": result}))
    else:
        print(f"missed events {result['missed']}; stderr {result['stderr_bytes']} bytes; " + _verdict(result))
    raise typer.Exit(0 if result["flat"] and not result["missed"] and not result["ended"] else 1)


def _tell(held: Holding) -> None:
    if held.minute < 0.01:
        print("minute  MB now  MB peak  descriptors  threads  CPU s  pictures  turns  events  log KB")
    print(
        f"{held.minute:6.1f}  {held.rss_mb:6.1f}  {held.peak_mb:7.1f}  {held.descriptors:11}"
        f"  {held.threads:7}  {held.cpu_s:5.0f}  {held.pictures:8}  {held.turns:5}  {held.events:6}"
        f"  {held.log_kb:6}",
        flush=True,
    )


def _verdict(result: dict[str, Any]) -> str:
    if result["ended"]:
        return "the table ended by itself"
    return "memory, descriptors and threads are flat" if result["flat"] else f"grew: {result['grew']}"


class Soak:
    """One run: the table's process, its pictures, its phones."""

    def __init__(self, session: Session, scratch: Path, phones: int, every_s: float) -> None:
        self._session = session
        self._folder = scratch / "camera"
        self._table = scratch / "soak.table"
        self._stderr = scratch / "stderr.txt"
        self._phones = phones
        self._every_s = every_s
        self._events = self._missed = 0
        self._folder.mkdir()

    def command(self) -> list[str]:
        """The words that start the table."""
        header = self._session.header
        players = ",".join(f"{color}={name}" for color, name in self._session.names.items())
        words = [sys.executable, "-m", "tilesight.app", "live", "--game", header.game, "--pack", header.pack]
        words += ["--players", players, "--camera", str(self._folder), "--table", str(self._table)]
        return [*words, "--host", "127.0.0.1", "--port", "0", "--json"]

    async def run(self, seconds: float, tell: Any = None, pictures: int = 0) -> dict[str, Any]:
        """Soak for so long, on a busy machine up to LONGER times, until ``pictures`` were looked at.

        ``tell`` hears each `Holding`. Returns the result as ``--json`` writes it.
        """
        with self._stderr.open("wb") as stderr:
            table = await asyncio.create_subprocess_exec(
                *self.command(), stdout=subprocess.PIPE, stderr=stderr, limit=1 << 24
            )
        tasks: list[asyncio.Task[None]] = []
        held: list[Holding] = []
        try:
            port = await self._ready(table)
            tasks = [asyncio.create_task(self._follow(table)), asyncio.create_task(self._feed())]
            tasks += [asyncio.create_task(self._come_and_go(port, n)) for n in range(self._phones)]
            began_s = time.monotonic()
            step_s = min(60.0, seconds / 8)
            for number in itertools.count():
                since_s = time.monotonic() - began_s
                held.append(await asyncio.to_thread(self._holding, table.pid, port, since_s))
                if tell is not None:
                    tell(held[-1])
                enough = held[-1].pictures >= pictures or number * step_s >= LONGER * seconds
                if (number * step_s >= seconds and enough) or table.returncode is not None:
                    break
                await asyncio.sleep(max(began_s + (number + 1) * step_s - time.monotonic(), 0.0))
            ended = table.returncode is not None
        finally:
            for task in tasks[1:]:
                task.cancel()
            await asyncio.gather(*tasks[1:], return_exceptions=True)
            await _end(table)
            await asyncio.gather(*tasks[:1], return_exceptions=True)
        grew = growth(held)
        return {
            "phones": self._phones,
            "every_s": self._every_s,
            "held": [asdict(one) for one in held],
            "missed": self._missed,
            "stderr_bytes": self._stderr.stat().st_size,
            "ended": ended,
            "grew": grew,
            "flat": not grew,
        }

    async def _ready(self, table: asyncio.subprocess.Process) -> int:
        """The port, once the table is served."""
        assert table.stdout is not None
        with suppress(TimeoutError, ValueError, KeyError):
            line = await asyncio.wait_for(table.stdout.readline(), READY_WITHIN_S)
            return int(str(json.loads(line)["url"]).rpartition(":")[2])
        said = self._stderr.read_text(errors="replace").strip()
        raise SessionError(f"{self._session.folder}: no table can be served ({said or 'it says nothing'})")

    async def _follow(self, table: asyncio.subprocess.Process) -> None:
        """Read what the table tells, as a program beside it would."""
        assert table.stdout is not None
        while await table.stdout.readline():
            self._events += 1

    async def _feed(self) -> None:
        """One picture after the other, from the first again after the last."""
        for number, frame in enumerate(itertools.cycle(self._session.frames)):
            begun = self._folder / "begun"
            shutil.copyfile(frame.path, begun)
            begun.replace(self._folder / f"{number % FILES}{frame.path.suffix}")
            await asyncio.sleep(self._every_s)

    async def _come_and_go(self, port: int, number: int) -> None:
        """A phone that leaves now and then and comes back."""
        await asyncio.sleep(number * min(STAYS_S, 10.0) / max(self._phones, 1))
        stays_s = STAYS_S * (0.5 + number / max(self._phones, 1))
        while True:
            phone = Phone(port)
            try:
                with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                    await asyncio.wait_for(phone.listen(), stays_s)
            finally:
                self._missed += _missing(phone.heard)
            await asyncio.sleep(1.0)

    def _holding(self, pid: int, port: int, since_s: float) -> Holding:
        status: dict[str, str] = {}
        cpu_s, descriptors = 0.0, 0
        state: dict[str, Any] = {}
        with suppress(OSError):  # it has just ended
            for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
                name, _, value = line.partition(":")
                status[name] = value.strip().partition(" ")[0]
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
            cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=10) as answer:
                state = json.load(answer)
        frame = (state.get("camera") or {}).get("frame")
        files = self._table.parent.glob(f"{self._table.name}*")
        return Holding(
            minute=round(since_s / 60, 2),
            rss_mb=round(int(status.get("VmRSS", 0)) / 1024, 1),
            peak_mb=round(int(status.get("VmHWM", 0)) / 1024, 1),
            descriptors=descriptors,
            threads=int(status.get("Threads", 0)),
            cpu_s=round(cpu_s, 1),
            pictures=0 if frame is None else frame + 1,
            turns=int(state.get("turn_no") or 0),
            events=self._events,
            log_kb=sum(file.stat().st_size for file in files) // 1024,
        )


def growth(held: Sequence[Holding]) -> list[str]:
    """Return the names of quantities that are larger in the last quarter than in the second."""
    quarter = max(len(held) // 4, 1)
    early, late = held[quarter : 2 * quarter] or held[:1], held[-quarter:]
    grew = [] if _median(late, "rss_mb") <= (1 + GROWN) * _median(early, "rss_mb") else ["rss_mb"]
    # One that happens to be open at that moment, such as a phone's that just comes, is no growth.
    counted = ("descriptors", "threads")
    return grew + [what for what in counted if _median(late, what) > 1.02 * _median(early, what) + 2]


def _median(held: Sequence[Holding], what: str) -> float:
    return statistics.median(float(getattr(one, what)) for one in held)


def _missing(heard: dict[int, float]) -> int:
    """Events that a phone did not hear between its first and its last."""
    return max(heard) - min(heard) + 1 - len(heard) if heard else 0


async def _end(table: asyncio.subprocess.Process) -> None:
    if table.returncode is None:
        with suppress(ProcessLookupError):
            table.terminate()
        try:
            await asyncio.wait_for(table.wait(), GONE_WITHIN_S)
        except TimeoutError:
            table.kill()
            await table.wait()
