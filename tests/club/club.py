"""The club of `make club-test`: its processes, what is done to them, and what must have come of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nats.js.api import StreamInfo

from tests.club.check import compared
from tests.club.games import write_games
from tests.club.postgres import postgres_serving
from tests.club.proxy import Proxy
from tests.tilesight.club.nats_servers import free_port
from tilesight.club.connection import Address, connected, ensure_stream
from tilesight.club.credentials import KeyRing, Role, hub_seed
from tilesight.club.nats_server import NatsServer, ServerSettings
from tilesight.club.subjects import STREAM

EACH_PROCESS = 50
"""Tables in one process: each of its own would be sixty megabytes."""
CATCH_UP_S = 300.0
"""Time after the last entry for everything to have arrived."""
CUT_S = 15.0
"""Length of the network's cut, longer than a lost connection takes to be found."""


@dataclass(frozen=True)
class Plan:
    """Size and length of a run."""

    folder: Path
    tables: int
    seconds: float
    spectators: int
    database: str | None


@dataclass
class Club:
    """The processes of a run."""

    plan: Plan
    database: str
    server: NatsServer
    ring: KeyRing
    seed: str
    proxy: Proxy
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kills: dict[str, int] = field(default_factory=dict)

    def start_hub(self) -> None:
        """Start the hub, or start it again."""
        url = f"nats://127.0.0.1:{self.server.settings.port}"
        self._start("hub", "tests.club.hub", url, self.database, self.seed)

    def start_tables(self, first: int, seconds: float) -> None:
        """Start a process of tables, or start it again."""
        last = min(first + EACH_PROCESS, self.plan.tables)
        url = f"nats://127.0.0.1:{self.proxy.port}"
        words = (str(self.plan.folder), url, str(first), str(last), str(seconds))
        self._start(f"tables-{first}", "tests.club.tables", *words)

    def _start(self, name: str, module: str, *words: str) -> None:
        with (self.plan.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, "-m", module, *words]
            self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        """SIGKILL for one of the processes."""
        self.processes[name].kill()
        self.processes[name].wait()
        self.kills[name] = self.kills.get(name, 0) + 1

    def kill_nats(self) -> None:
        """SIGKILL for the NATS server, which is then started again."""
        process = self.server._process
        assert process is not None
        process.kill()
        process.wait()
        self.kills["nats"] = self.kills.get("nats", 0) + 1
        time.sleep(2)
        self.server.start(self.ring.valid())

    def close(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.kill()
            process.wait()


@contextlib.contextmanager
def _servers(plan: Plan) -> Iterator[tuple[str, NatsServer, KeyRing, str]]:
    ring = KeyRing(plan.folder / "keys.json")
    seed = hub_seed(plan.folder, ring)
    seeds = {f"t{n}": ring.create(f"t{n}", Role.TABLE)[1] for n in range(plan.tables)}
    (plan.folder / "seeds.json").write_text(json.dumps(seeds))
    write_games(plan.folder / "games.json", plan.tables)
    server = NatsServer(ServerSettings(plan.folder / "nats", port=free_port(), monitor_port=free_port()))
    with contextlib.ExitStack() as stack:
        database = plan.database or stack.enter_context(postgres_serving())
        server.start(ring.valid())
        stack.callback(server.stop)
        yield database, server, ring, seed


def played(plan: Plan) -> tuple[dict[str, Any], list[str]]:
    """What a run comes to, and what is wrong with it."""
    with _servers(plan) as (database, server, ring, seed):
        return asyncio.run(_played(plan, database, server, ring, seed))


async def _played(
    plan: Plan, database: str, server: NatsServer, ring: KeyRing, seed: str
) -> tuple[dict[str, Any], list[str]]:
    began = time.monotonic()
    async with Proxy(server.settings.port) as proxy:
        club = Club(plan, database, server, ring, seed, proxy)
        try:
            club.start_hub()
            for first in range(0, plan.tables, EACH_PROCESS):
                club.start_tables(first, plan.seconds)
            spectators = await _disturbed(club, began)
            wrong, told = await _caught_up(club, began)
        finally:
            club.close()
        told |= {"kills": club.kills, "cut_s": CUT_S, "previews_mb": round(proxy.passed / 1e6)}
    if plan.spectators:
        told["spectators"] = spectators
        if spectators["delivered"] != spectators["expected"] or spectators["out_of_order"]:
            wrong.append("spectators missed events")
        if spectators["late_p95_s"] > 1:
            wrong.append("spectators heard events late")
    return told, wrong


async def _disturbed(club: Club, began: float) -> dict[str, Any]:
    """Do to the club what is done in a run: each process killed in turn, the network cut."""
    plan = club.plan

    async def at(share: float, do: Callable[[], None]) -> None:
        await asyncio.sleep(max(0.0, began + share * plan.seconds - time.monotonic()))
        await asyncio.to_thread(do)

    await at(0.15, lambda: club.kill("hub"))
    await asyncio.sleep(2)
    club.start_hub()
    await at(0.3, club.kill_nats)
    await at(0.4, lambda: club.kill("tables-0"))
    club.start_tables(0, 0.6 * plan.seconds)
    watching = asyncio.create_task(asyncio.to_thread(_watch, plan)) if plan.spectators else None
    await at(0.55, club.proxy.cut)
    await asyncio.sleep(CUT_S)
    club.proxy.mend()
    await at(0.75, club.kill_nats)
    club.kill("hub")  # while it catches up
    club.start_hub()
    return await watching if watching is not None else {}


def _watch(plan: Plan) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.club.spectators", "--number", str(plan.spectators)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


async def _caught_up(club: Club, began: float) -> tuple[list[str], dict[str, Any]]:
    """What is wrong when everything had time to arrive, and the run's counts."""
    plan = club.plan
    await asyncio.sleep(max(0.0, began + plan.seconds - time.monotonic()))
    ended = time.monotonic()
    arrived_s: float | None = None
    while True:
        wrong, told = await asyncio.to_thread(compared, plan.folder, plan.tables, club.database)
        late = time.monotonic() - ended
        if arrived_s is None and told["kept"] == told["entries"]:
            arrived_s = round(late, 1)
        if not wrong or late > CATCH_UP_S:
            break
        await asyncio.sleep(2)
    info = await _stream(club)
    if info.state.messages != told["entries"]:
        wrong.append(f"the stream has {info.state.messages} messages")
    told |= {
        "arrived_s": arrived_s,
        "folded_s": round(late, 1),
        "stream_bytes": info.state.bytes,
        "tables": plan.tables,
    }
    told |= {"minutes": round(plan.seconds / 60, 1), "messages": info.state.messages}
    return wrong, told


async def _stream(club: Club) -> StreamInfo:
    address = Address((f"nats://127.0.0.1:{club.server.settings.port}",), club.seed, "_INBOX.hub.check")
    connection = await connected(address, "check")
    try:
        await ensure_stream(connection.jetstream())
        return await connection.jetstream().stream_info(STREAM)
    finally:
        await connection.close()
