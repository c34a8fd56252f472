"""The club of `make club-test`: its processes, what is done to them, and what must have come of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.club.check import compared, misshown
from tests.club.games import told, write_games
from tests.club.hostile import attacked, disk_filled, second_hubs
from tests.club.hub import HubProcess
from tests.club.lateness import Span, last_heard, lateness
from tests.club.postgres import postgres_serving
from tests.club.proxy import Proxy
from tests.club.rescoring import rescored
from tests.club.spectators import Audience
from tests.club.tables import log_path
from tests.club.usage import Usage
from tests.tilesight.club.nginx_servers import nginx_serving
from tilesight.club.credentials import Role
from tilesight.club.inviting import Inviter

EACH_PROCESS = 50
"""Tables in one process: each of its own would be sixty megabytes."""
CATCH_UP_S = 300.0
"""Time after the last entry for everything to have arrived."""
CUT_S = 15.0
"""Length of the network's cut, longer than a lost connection takes to be found."""
CALM_AFTER_S = 20.0
"""Seconds after a kill from which entries count as undisturbed."""


@dataclass(frozen=True)
class Plan:
    """Size and length of a run; ``linked`` tables have a real link's process each."""

    folder: Path
    tables: int
    seconds: float
    spectators: int
    sessions: int
    linked: int
    database: str | None


@dataclass
class Club:
    """The processes of a run."""

    plan: Plan
    hub: HubProcess
    invited: dict[str, str]
    proxy: Proxy
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    kills: dict[str, int] = field(default_factory=dict)
    disturbed: list[Span] = field(default_factory=list)
    extra_entries: int = 0
    """Entries of tables that are not of the plan."""

    def start_tables(self, first: int, seconds: float) -> None:
        """Start a process of tables, or start it again."""
        last = min(first + EACH_PROCESS, self.plan.tables)
        words = (str(self.plan.folder), str(first), str(last), str(self.plan.linked), str(seconds))
        self._start(f"tables-{first}", "tests.club.tables", *words)

    def start_link(self, number: int) -> None:
        """Start the link of a table as `tilesight live --hub` does, or start it again."""
        log, table = str(log_path(self.plan.folder, number)), "http://127.0.0.1:1"
        told = {"hub": self.invited[f"t{number}"], "log": log, "table": table}
        process = self._start(f"link-{number}", "tilesight.club.link")
        assert process.stdin is not None
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()

    def _start(self, name: str, module: str, *words: str) -> subprocess.Popen[bytes]:
        with (self.plan.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, "-m", module, *words]
            environ = {**os.environ, "TILESIGHT_HOME": str(self.plan.folder / "home")}
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environ
            )
        return self.processes[name]

    def kill(self, name: str) -> None:
        """SIGKILL for one of the processes."""
        self.processes[name].kill()
        self.processes[name].communicate()
        self._count(name.partition("-")[0])

    def kill_hub(self) -> None:
        """SIGKILL for the hub; it is started again."""
        self.hub.kill()
        self._count("hub")
        time.sleep(2)
        self.hub.start()

    def _count(self, name: str) -> None:
        now = time.time()
        self.disturbed.append((now - 2, now + CALM_AFTER_S))
        self.kills[name] = self.kills.get(name, 0) + 1

    def close(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.kill()
            process.communicate()
        self.hub.stop()


@contextlib.contextmanager
def _hub(plan: Plan) -> Iterator[HubProcess]:
    """The hub, not started yet."""
    write_games(plan.folder / "games.json", plan.tables)
    with contextlib.ExitStack() as stack:
        hub = HubProcess(plan.folder / "club", plan.database or stack.enter_context(postgres_serving()))
        if plan.spectators:
            nginx = stack.enter_context(nginx_serving(plan.folder / "nginx", hub=f"127.0.0.1:{hub.port}"))
            hub.publish, hub.spectators_port = f"http://{nginx.publish}/pub", nginx.port
        yield hub


def _invited(plan: Plan, hub: HubProcess, port: int) -> dict[str, str]:
    """The invitations of all tables, by name, also in a file; they reach the hub by the proxy's ``port``."""
    names = [f"t{n}" for n in range(plan.tables)]
    made = Inviter(hub.folder, f"http://127.0.0.1:{port}").invite(names, Role.TABLE)
    invited = {one.name: one.url for one in made}
    (plan.folder / "invitations.json").write_text(json.dumps(invited))
    return invited


def played(plan: Plan) -> tuple[dict[str, Any], list[str]]:
    """What a run comes to, and what is wrong with it."""
    with Usage() as usage, _hub(plan) as hub:
        found, wrong = asyncio.run(_played(plan, hub))
        return {**found, "cpu_s": usage.seconds(), "cores": os.cpu_count()}, wrong


async def _played(plan: Plan, hub: HubProcess) -> tuple[dict[str, Any], list[str]]:
    async with Proxy(hub.port) as proxy:
        club = Club(plan, hub, _invited(plan, hub, proxy.port), proxy)
        audience = Audience(plan.folder, plan.spectators, hub.spectators_port) if plan.spectators else None
        try:
            hub.start()
            await asyncio.to_thread(_until_it_answers, hub)
            if audience is not None:
                await asyncio.to_thread(audience.open)
            began = time.monotonic()
            for first in range(0, plan.tables, EACH_PROCESS):
                club.start_tables(first, plan.seconds)
            for number in range(plan.linked):
                club.start_link(number)
            archive, wrong = await _disturbed(club, began)
            found, more = await _caught_up(club, began)
            wrong += more
            heard = await asyncio.to_thread(audience.close) if audience is not None else []
        finally:
            if audience is not None:
                audience.kill()
            club.close()
    found |= {"kills": club.kills, "cut_s": CUT_S, "previews_mb": round(proxy.passed / 1e6), **archive}
    if audience is not None:
        found["spectators"] = lateness(heard, club.disturbed)
        wrong += audience.wrong(found["spectators"])
        cards = last_heard(heard[0])
        wrong += (f"t{n} as heard: {what}" for n in range(plan.tables) for what in misshown(n, cards))
    return found, wrong


def _until_it_answers(hub: HubProcess) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            hub.asked("/healthz")
            return
        except OSError:
            assert time.monotonic() < until, (hub.folder / "hub.log").read_text()
            time.sleep(0.2)


async def _disturbed(club: Club, began: float) -> tuple[dict[str, Any], list[str]]:
    """What is done to a club in a run: a hostile key, a second hub and a full disk, each process killed in
    turn, the network cut, an archive scored."""
    plan, found, wrong = club.plan, dict[str, Any](), list[str]()

    async def at(share: float, do: Callable[[], None]) -> None:
        await asyncio.sleep(max(0.0, began + share * plan.seconds - time.monotonic()))
        await asyncio.to_thread(do)

    def kill_links() -> None:
        for number in range(0, plan.linked, 2):
            club.kill(f"link-{number}")
        time.sleep(1)
        for number in range(0, plan.linked, 2):
            club.start_link(number)

    await at(0.1, club.kill_hub)
    await at(0.15, lambda: _until_it_answers(club.hub))
    begun_s = time.time()
    found["hostile"], more, club.extra_entries = await attacked(club.hub)
    wrong += [*more, *await asyncio.to_thread(second_hubs, club.hub, plan.folder)]
    if "://" not in club.hub.database:  # PostgreSQL's disk is not the hub's
        found["full_disk"], more = await asyncio.to_thread(disk_filled, club.hub)
        wrong += more
    club.disturbed.append((begun_s, time.time() + CALM_AFTER_S))
    await at(0.3, kill_links)
    await at(0.4, lambda: club.kill("tables-0"))
    club.start_tables(0, 0.6 * plan.seconds)
    await at(0.5, club.proxy.cut)
    cut_s = time.time()
    await asyncio.sleep(CUT_S)
    club.proxy.mend()
    club.disturbed.append((cut_s, cut_s + CUT_S + CALM_AFTER_S))
    await at(0.65, club.kill_hub)
    await at(0.75, kill_links)
    if plan.sessions:
        found["archive"], more = await asyncio.to_thread(rescored, plan.folder / "archive", plan.sessions)
        wrong += more
    return found, wrong


async def _caught_up(club: Club, began: float) -> tuple[dict[str, Any], list[str]]:
    """The run's counts when everything had time to arrive, and what is wrong."""
    plan, hub = club.plan, club.hub
    entries = sum(len(told(n).entries) for n in range(plan.tables)) + club.extra_entries
    arrived_s = 0.0
    health: dict[str, Any] = {}
    while time.monotonic() < began + plan.seconds + CATCH_UP_S:
        with contextlib.suppress(OSError):
            health = await asyncio.to_thread(hub.asked, "/healthz")
        if health.get("entries") == entries:
            arrived_s = arrived_s or time.time()
            if not health["games_to_fold"]:
                break
        await asyncio.sleep(0.5)
    folded_s = time.time()
    wrong, found = await asyncio.to_thread(compared, plan.folder, plan.tables, hub.database)
    if not health.get("ok") or health["links_refused"] or health["entries"] != entries:
        wrong.append(f"the hub's health: {health}")
    shown = {one["id"]: one for one in (await asyncio.to_thread(hub.asked, "/api/tables"))["tables"]}
    wrong += (f"t{n} as shown: {what}" for n in range(plan.tables) for what in misshown(n, shown))
    found |= {"tables": plan.tables, "linked": plan.linked, "minutes": round(plan.seconds / 60, 1)}
    last_s = found.pop("last_s")
    found |= {"arrived_s": round(arrived_s - last_s, 1), "folded_s": round(folded_s - last_s, 1)}
    return found | {"health": health}, wrong
