"""What a hostile key tries at a running hub, what a full disk does to it, and what a second hub comes to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.attacks.test_21_club_keys import JUNK
from tests.club.hub import HubProcess
from tests.tilesight.club.club_parts import free_port, until
from tests.tilesight.club.socket_hubs import Speaker, speaking
from tilesight.club.credentials import Role
from tilesight.club.frames import SECOND, WRONG, Entries, Held, Hello, Stored, Told
from tilesight.club.invitation import Invitation
from tilesight.club.inviting import Inviter
from tilesight.club.messages import PREVIEW_BYTES, LogEntry, Status

HOSTILE, WITNESS = "hostile", "witness"
"""Names of the hostile table, and of an honest one beside it whose waiting is measured."""
QUIET_S, FLOOD_S = 4.0, 10.0
"""Seconds for which the witness is measured without and with the flood."""
EVERY_S = 0.05
"""Seconds between two entries of the witness."""
WAITS_AT_MOST_S = 2.0
"""Seconds that 95 % of the witness's entries may take while the other floods."""
FULL_S = 6.0
"""Seconds for which the disk stays full after the hub has said so."""


def entries(first: int, last: int) -> Entries:
    """Consecutive entries of a made-up game."""
    told = [LogEntry(number=n, kind="said", at_s=1.0, data={}) for n in range(first, last + 1)]
    return Entries(game="g", entries=told)


async def attacked(hub: HubProcess) -> tuple[dict[str, Any], list[str], int]:
    """What a hostile key reached, what is wrong, and how many entries the two tables have stored."""
    hostile, witness = Inviter(hub.folder, hub.url).invite([HOSTILE, WITNESS], Role.TABLE)
    wrong: list[str] = []
    async with speaking(witness) as honest:
        if await honest.ask(Hello(game="g")) != Held(game="g"):
            wrong.append("the witness has a game before its first entry")
        wrong += await _forged(hostile)
        quiet_s = await _played(honest, 0, QUIET_S)
        flood = _Flood(hostile)
        flood.thread.start()
        flooded_s = await _played(honest, len(quiet_s), FLOOD_S)
        asked_s = time.monotonic()
        health = await asyncio.to_thread(hub.asked, "/healthz")
        asked_s = time.monotonic() - asked_s
        flood.ended.set()
        await asyncio.to_thread(flood.thread.join)
        number = len(quiet_s) + len(flooded_s)
        if (await honest.ask(Hello(game="g"))) != Held(game="g", last=entries(number, number).entries[0]):
            wrong.append("the witness's log is another")
    if health["links_refused"] != len(JUNK):
        wrong.append(f"{health['links_refused']} of {len(JUNK)} invalid frames were counted")
    if (late_s := statistics.quantiles(flooded_s, n=20)[-1]) > WAITS_AT_MOST_S:
        wrong.append(f"beside a flood 95 % of a table's entries are stored within {late_s:.1f} s")
    told: dict[str, Any] = {
        "junk": len(JUNK),
        "flood_mb": round(flood.sent / 1e6, 1),
        "healthz_s": round(asked_s, 2),
    }
    told |= {"witness_quiet": _figures(quiet_s), "witness_flooded": _figures(flooded_s)}
    return told, wrong, number + 2


def _figures(waited_s: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(waited_s, n=20)
    return {
        "entries": len(waited_s),
        "p50_s": round(statistics.median(waited_s), 3),
        "p95_s": round(cuts[-1], 3),
        "max_s": round(max(waited_s), 3),
    }


async def _played(honest: Speaker, done: int, seconds: float) -> list[float]:
    """Seconds that each entry of an honest table took to be stored."""
    waited_s: list[float] = []
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        number, asked_s = done + len(waited_s) + 1, time.monotonic()
        assert await honest.ask(entries(number, number)) == Stored(game="g", number=number)
        waited_s.append(time.monotonic() - asked_s)
        await asyncio.sleep(EVERY_S)
    return waited_s


async def _forged(invited: Invitation) -> list[str]:
    """What is wrong after a key tried to speak for another table, sent junk, and opened more connections."""
    wrong, forged = [], {"table": WITNESS, "name": WITNESS}
    async with speaking(invited) as one:
        if await one.ask(Hello(game="g")) != Held(game="g"):
            wrong.append("a table's log is told to another")
        await one.say(json.dumps({**entries(1, 2).model_dump(), **forged}))
        if await one.hear() != Stored(game="g", number=2):
            wrong.append("a table's own entries are not stored")
        status = Told(status=Status(game="g", phase="over", seeing="hostile"))
        await one.say(json.dumps({**status.model_dump(), **forged}))
        async with speaking(invited) as second:
            if (await second.closed())[0] != SECOND:
                wrong.append("a key has two connections")
    for junk in JUNK:
        code = SECOND
        while code == SECOND:  # the connection before is not gone yet
            async with speaking(invited) as one:
                with contextlib.suppress(ConnectionClosed):
                    await one.say(junk)
                code, _ = await one.closed()
        if code != WRONG:
            wrong.append(f"taken ({code}): {junk[:40]!r}")
    try:
        async with speaking(invited, "x" * 26):
            wrong.append("a wrong key is let in")
    except InvalidStatus:
        pass
    return wrong


class _Flood:
    """The hostile table in a thread of its own, as fast as it can."""

    def __init__(self, invited: Invitation) -> None:
        self._invited = invited
        self.ended, self.sent = threading.Event(), 0
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        picture = b"\xff\xd8" + b"\0" * (PREVIEW_BYTES - 2)
        async with speaking(self._invited) as one:
            saying = asyncio.create_task(self._say(one, picture))
            await asyncio.to_thread(self.ended.wait)
            saying.cancel()
            await asyncio.gather(saying, return_exceptions=True)
            one.socket.transport.abort()  # what it has buffered is not waited for

    async def _say(self, one: Speaker, picture: bytes) -> None:
        try:
            while True:
                await one.say(picture)
                self.sent += len(picture)
                await asyncio.sleep(0)
        except ConnectionClosed:
            return


def disk_filled(hub: HubProcess) -> tuple[dict[str, Any], list[str]]:
    """What comes of a hub that can write no byte for a while (its process's limit of file sizes)."""
    _, most = resource.prlimit(hub.pid, resource.RLIMIT_FSIZE)
    began_s = time.monotonic()
    resource.prlimit(hub.pid, resource.RLIMIT_FSIZE, (0, most))
    try:
        until(lambda: hub.asked("/healthz")["wrong"] == ["database"], 30)
        told_s = time.monotonic() - began_s
        time.sleep(FULL_S)
    finally:
        resource.prlimit(hub.pid, resource.RLIMIT_FSIZE, (most, most))
        freed_s = time.monotonic()
    until(lambda: hub.asked("/healthz")["ok"], 60)
    health = hub.asked("/healthz")
    told = {"told_s": round(told_s, 1), "full_s": round(freed_s - began_s, 1)}
    told |= {"sound_s": round(time.monotonic() - freed_s, 1), "not_stored": health["links_not_stored"]}
    return told, [] if health["links_not_stored"] else ["no table was told that nothing is stored"]


def second_hubs(hub: HubProcess, folder: Path) -> list[str]:
    """What is wrong with a second hub in the same folder, and with one on the same database."""
    wrong = []
    for place in (hub.folder, folder / "another"):
        words = ["hub", "--host", "127.0.0.1", "--port", str(free_port()), "--folder", str(place)]
        command = [sys.executable, "-m", "tilesight.app", *words, "--database", hub.database]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 2 or done.stderr.strip().count("\n"):
            wrong.append(f"a second hub: {done.returncode}, {done.stderr[-200:]}")
    return wrong
