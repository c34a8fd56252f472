"""Takeovers of a phone's table: ``python -m tests.club.takeover --times 20 [--how kill|pause|cut]``.

Real NATS, a hub, three workers, a phone that sends a sample's pictures. Again and again the worker that
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nats.aio.client import Client
from nats.js.errors import NotFoundError
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.club.proxy import Proxy
from tests.tilesight.club.nats_servers import free_port
from tilesight.club.connection import Address, connected
from tilesight.club.credentials import KeyRing, Role, hub_seed
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.invitation import Invitation
from tilesight.club.nats_server import NatsServer, ServerSettings
from tilesight.club.subjects import LEASES, STREAM, log_subject, table_subject
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


async def _holder(client: Client) -> str | None:
    """Name of the worker that has the table's lease."""
    with contextlib.suppress(NotFoundError):
        last = await client.jetstream().get_last_msg(f"KV_{LEASES}", f"$KV.{LEASES}.{TABLE}", direct=True)
        return (last.data or b"").decode().partition(" ")[0] or None
    return None


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
async def _workers(folder: Path, ring: KeyRing, server: NatsServer) -> AsyncIterator[list[Worker]]:
    workers: list[Worker] = []
    async with contextlib.AsyncExitStack() as stack:
        seeds = {f"w{n}": ring.create(f"w{n}", Role.WORKER)[1] for n in range(WORKERS)}
        await asyncio.to_thread(server.apply, ring.valid())
        for name, seed in seeds.items():
            proxy = await stack.enter_async_context(Proxy(server.settings.port))
            place = f"127.0.0.1:{proxy.port}"
            url = Invitation("http://127.0.0.1:1", place, Role.WORKER, name, seed).url
            workers.append(Worker(name, url, folder, proxy))
        try:
            yield workers
        finally:
            for worker in workers:
                for pid in worker.family if worker.process is not None else ():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)


async def _takeovers(
    server: NatsServer, seed: str, phones: PhoneTables, workers: list[Worker], times: int, how: str
) -> tuple[list[dict[str, Any]], list[tuple[str, bytes]]]:
    address = Address((f"nats://127.0.0.1:{server.settings.port}",), seed, "_INBOX.hub.takeover")
    client = await connected(address, "takeover")
    heard = Heard()

    async def status(_: object) -> None:
        heard.status_s.append(time.monotonic())

    async def preview(_: object) -> None:
        heard.preview_s.append(time.monotonic())

    await client.subscribe(table_subject(TABLE, "status"), cb=status)
    await client.subscribe(table_subject(TABLE, "preview"), cb=preview)
    phones.begin(NewPhoneTable(TABLE, "safari", (("red", "Ana"), ("blue", "Bo"))))
    sending = asyncio.create_task(_phone(phones))
    for worker in workers:
        await worker.start()
    await _until(lambda: bool(heard.status_s and heard.preview_s), WITHIN_S)
    taken = []
    for _ in range(times):
        await asyncio.sleep(SETTLED_S)
        taken.append(await _takeover(client, workers, heard, how))
        print(json.dumps(taken[-1]), file=sys.stderr, flush=True)
    await asyncio.sleep(SETTLED_S)
    sending.cancel()
    stored = await _stored(client)
    await client.close()
    return taken, stored


async def _takeover(client: Client, workers: Sequence[Worker], heard: Heard, how: str) -> dict[str, Any]:
    name = await _until_holder(client)
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
        other = await _holder(client)
        if other not in (None, name):
            break
        await asyncio.sleep(0.05)
    leased = time.monotonic() - begun
    await _until(lambda: len(heard.status_s) > told[0] and len(heard.preview_s) > told[1], WITHIN_S)
    result = {
        "worker": name,
        "by": other,
        "lease_s": round(leased, 2),
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


async def _until_holder(client: Client) -> str:
    while (name := await _holder(client)) is None:
        await asyncio.sleep(0.1)
    return name


async def _until(true: Any, within_s: float) -> None:
    end = time.monotonic() + within_s
    while not true():
        if time.monotonic() > end:
            raise SystemExit("it did not come to that in time")
        await asyncio.sleep(0.02)


async def _stored(client: Client) -> list[tuple[str, bytes]]:
    """Subject and data of all that the stream has of the table."""
    stored: list[tuple[str, bytes]] = []
    number = 1
    with contextlib.suppress(NotFoundError):
        while True:
            subject = log_subject(TABLE, "*")
            one = await client.jetstream().get_msg(STREAM, number, subject, direct=True, next=True)
            stored.append((one.subject or "", one.data or b""))
            number = (one.seq or 0) + 1
    return stored


def _wrong(stored: Sequence[tuple[str, bytes]], database: Path) -> list[str]:
    """What is wrong with the log at the hub."""
    wrong = []
    if (games := len({subject for subject, _ in stored})) != 1:
        wrong.append(f"{games} games in the stream")
    numbers = [json.loads(data)["number"] for _, data in stored]
    if numbers != list(range(1, len(numbers) + 1)):
        wrong.append(f"entries of the stream: {numbers}")
    engine = open_database(database)
    with Session(engine) as session:
        kept = list(session.scalars(select(LoggedEntry.number).order_by(LoggedEntry.number)))
        games_kept = list(session.scalars(select(Game)))
        if kept != numbers:
            wrong.append(f"entries of the database: {kept}")
        if len(games_kept) != 1 or games_kept[0].fault is not None:
            wrong.append(f"{len(games_kept)} games at the hub, {[game.fault for game in games_kept]}")
    engine.dispose()
    return wrong


def _figures(seconds: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 19
    return {"p50": round(cuts[9], 2), "p95": round(cuts[18], 2), "max": round(max(seconds), 2)}


async def _run(folder: Path, times: int, how: str) -> tuple[dict[str, Any], list[str]]:
    ring = KeyRing(folder / "keys.json")
    seed = hub_seed(folder, ring)
    server = NatsServer(ServerSettings(folder / "nats", port=free_port(), monitor_port=free_port()))
    server.start(ring.valid())
    engine = open_database(folder / "hub.db")
    try:
        address = Address((f"nats://127.0.0.1:{server.settings.port}",), seed, "_INBOX.hub.hub")
        phones = PhoneTables(engine)
        with Hub(engine, address, phones=phones) as hub:
            async with _workers(folder, ring, server) as workers:
                taken, stored = await _takeovers(server, seed, phones, workers, times, how)
            await asyncio.sleep(2)
            turns = hub.tables()[0].turns
    finally:
        server.stop()
        engine.dispose()
    wrong = _wrong(stored, folder / "hub.db")
    told = {"how": how, "times": len(taken), "load": os.getloadavg()[0], "turns": turns}
    told |= {"entries": len(stored)}
    told |= {what: _figures([one[what] for one in taken]) for what in ("lease_s", "status_s", "picture_s")}
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
