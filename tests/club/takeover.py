"""Takeovers of a phone's table: ``python -m tests.club.takeover --times 20 [--how kill|pause|cut]``.

A hub, three workers, a phone that sends a sample's pictures. Again and again the worker that
sees for the table is killed with SIGKILL, stopped with all its processes (as a laptop that is closed) and let
go on, or cut off from the network. Measured is the time until another worker's table tells the hub how it is,
and until its first small picture is there. At the end the hub must have the game's log once, in order, in one
game.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.club.proxy import Proxy
from tests.tilesight.club.socket_hubs import ServedHub, served_hub
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.messages import Status
from tilesight.sessions.samples import sample_folder
from web.club.phone_tables import NewPhoneTable
from web.table.refusal import Refusal

TABLE = "hall-1"
SAMPLE = "first-light"
WORKERS = 3
FRAME_S, EACH_S = 0.5, 2.5
"""Seconds between two pictures that the phone sends, and for which it sends the same one."""
SETTLED_S = 5.0
"""Seconds for which the table goes on before the next worker is taken from it."""
WITHIN_S = 60.0
"""Seconds after which a takeover has failed."""
GONE_S = 15.0
"""Seconds for the processes of a killed worker to end; one that still imports hears of it late."""
HOWS = ("kill", "pause", "cut")


@dataclass
class Worker:
    """A worker's process, its log, and its way to the hub."""

    name: str
    url: str
    folder: Path
    proxy: Proxy
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it, or start it again."""
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tilesight.app", "worker", "--hub", self.url, "--tables", "2"),
                stdout=log,
                stderr=log,
                env={**os.environ, "TILESIGHT_HOME": str(self.folder / self.name)},
            )

    @property
    def family(self) -> list[int]:
        """The process, and all that it started."""
        assert self.process is not None
        return [self.process.pid, *_below(self.process.pid)]


@dataclass
class Heard:
    """When the hub heard of the table last, by the monotonic clock."""

    status_s: list[float] = field(default_factory=list)
    preview_s: list[float] = field(default_factory=list)


def _below(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, path.read_text().split()):
                yield child
                yield from _below(child)


def _listen(served: ServedHub) -> Heard:
    """Note when the hub hears of a table."""
    heard, desk = Heard(), served.hub.sockets.desk
    hear, see = desk.heard, desk.seen

    def status(table: str, told: Status) -> None:
        heard.status_s.append(time.monotonic())
        hear(table, told)

    def preview(table: str, jpeg: bytes) -> None:
        heard.preview_s.append(time.monotonic())
        see(table, jpeg)

    desk.heard, desk.seen = status, preview
    return heard


def _holder(served: ServedHub) -> str | None:
    """Name of the worker that has the table."""
    return served.hub.sockets.assignments.worker_of(TABLE)


async def _phone(phones: PhoneTables) -> None:
    """Send the sample's pictures to the hub, one after the other."""
    frames = sorted((sample_folder(SAMPLE) / "frames").iterdir())
    begun = time.monotonic()
    while True:
        number = min(int((time.monotonic() - begun) / EACH_S), len(frames) - 1)
        with contextlib.suppress(Refusal):
            phones.push_picture(TABLE, frames[number].read_bytes())
        await asyncio.sleep(FRAME_S)


@contextlib.asynccontextmanager
async def _workers(folder: Path, served: ServedHub) -> AsyncIterator[list[Worker]]:
    workers: list[Worker] = []
    async with contextlib.AsyncExitStack() as stack:
        for n in range(WORKERS):
            proxy = await stack.enter_async_context(Proxy(int(served.server.rpartition(":")[2])))
            invited = replace(served.invite(f"w{n}", Role.WORKER), server=f"127.0.0.1:{proxy.port}")
            workers.append(Worker(invited.name, invited.url, folder, proxy))
        try:
            yield workers
        finally:
            for worker in workers:
                for pid in worker.family if worker.process is not None else ():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)


async def _takeovers(
    served: ServedHub, phones: PhoneTables, workers: list[Worker], times: int, how: str
) -> list[dict[str, Any]]:
    heard = _listen(served)
    phones.begin(NewPhoneTable(TABLE, "safari", (("red", "Ana"), ("blue", "Bo"))))
    sending = asyncio.create_task(_phone(phones))
    for worker in workers:
        await worker.start()
    await _until(lambda: bool(heard.status_s and heard.preview_s), WITHIN_S)
    taken = []
    for _ in range(times):
        await asyncio.sleep(SETTLED_S)
        taken.append(await _takeover(served, workers, heard, how))
        print(json.dumps(taken[-1]), file=sys.stderr, flush=True)
    await asyncio.sleep(SETTLED_S)
    sending.cancel()
    return taken


async def _takeover(served: ServedHub, workers: Sequence[Worker], heard: Heard, how: str) -> dict[str, Any]:
    await _until(lambda: _holder(served) is not None, WITHIN_S)
    name = _holder(served)
    worker = next(one for one in workers if one.name == name)
    family, begun = worker.family, time.monotonic()
    if how == "kill":
        os.kill(family[0], signal.SIGKILL)
    elif how == "pause":
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
    else:
        worker.proxy.cut()
    await asyncio.sleep(0.3)  # what was on its way
    told = len(heard.status_s), len(heard.preview_s)
    other: str | None = None
    while time.monotonic() - begun < WITHIN_S:
        other = _holder(served)
        if other not in (None, name):
            break
        await asyncio.sleep(0.05)
    assigned = time.monotonic() - begun
    await _until(lambda: len(heard.status_s) > told[0] and len(heard.preview_s) > told[1], WITHIN_S)
    result = {
        "worker": name,
        "by": other,
        "assigned_s": round(assigned, 2),
        "status_s": round(heard.status_s[told[0]] - begun, 2),
        "picture_s": round(heard.preview_s[told[1]] - begun, 2),
    }
    if how == "kill":
        assert worker.process is not None
        await worker.process.wait()
        await _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), GONE_S)
        await worker.start()
    elif how == "pause":
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    else:
        worker.proxy.mend()
    return result


async def _until(true: Any, within_s: float) -> None:
    end = time.monotonic() + within_s
    while not true():
        if time.monotonic() > end:
            raise SystemExit("it did not come to that in time")
        await asyncio.sleep(0.02)


def _wrong(database: Path) -> tuple[int, list[str]]:
    """Number of entries in the hub's database, and what is wrong with them."""
    wrong = []
    engine = open_database(database)
    with Session(engine) as session:
        kept = list(session.scalars(select(LoggedEntry.number).order_by(LoggedEntry.number)))
        games = list(session.scalars(select(Game)))
    engine.dispose()
    if kept != list(range(1, len(kept) + 1)):
        wrong.append(f"entries of the database: {kept}")
    if len(games) != 1 or games[0].fault is not None:
        wrong.append(f"{len(games)} games at the hub, {[game.fault for game in games]}")
    return len(kept), wrong


def _figures(seconds: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 19
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2), "max": round(max(seconds), 2)}


async def _run(folder: Path, times: int, how: str) -> tuple[dict[str, Any], list[str]]:
    engine = open_database(folder / "hub.db")
    phones = PhoneTables(engine)
    with served_hub(folder / "club", engine, phones=phones) as served:
        async with _workers(folder, served) as workers:
            taken = await _takeovers(served, phones, workers, times, how)
        await asyncio.sleep(2)
        turns = served.hub.tables()[0].turns
    engine.dispose()
    entries, wrong = _wrong(folder / "hub.db")
    told = {"how": how, "times": len(taken), "load": os.getloadavg()[0], "turns": turns}
    told |= {"entries": entries}
    told |= {what: _figures([one[what] for one in taken]) for what in ("assigned_s", "status_s", "picture_s")}
    return told, wrong


def main() -> int:
    """Run it, print one JSON document; exit 1 where the log is wrong, or a takeover took over 10 s."""
    ask = argparse.ArgumentParser(prog="python -m tests.club.takeover", description=__doc__)
    ask.add_argument("--times", type=int, default=20)
    ask.add_argument("--how", choices=HOWS, default="kill")
    ask.add_argument("--keep", type=Path, help="a new folder for what the processes write")
    asked = ask.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilesight-takeover-") as made:
        folder = asked.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        told, wrong = asyncio.run(_run(folder, asked.times, asked.how))
    print(json.dumps({**told, "wrong": wrong}, indent=1))
    return 1 if wrong or told["status_s"]["max"] > 10 else 0


if __name__ == "__main__":
    sys.exit(main())
