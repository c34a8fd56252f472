"""Simulated tables in one process: each writes the log of a finished game at a fast clock, and links it.

``python -m tests.club.tables FOLDER FIRST LAST LINKED SECONDS``: FOLDER has `invitations.json`; a table that
was killed goes on where its log ends. The first LINKED tables only write: each has a link of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.club.games import read_games
from tilesight.club.frames import Told
from tilesight.club.invitation import invitation_of
from tilesight.club.link.link import LOOK_S, PREVIEW_S, RETRY_S, STATUS_S
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import Publisher
from tilesight.club.link.uplink import Uplink
from tilesight.club.messages import PREVIEW_BYTES, Status
from tilesight.table_log.event_store import StoreError, TableStore

SLOW_CLOCK, SLOW_S = 7, 3600.0
"""Number of the table whose clock is slow, and the seconds by which it is."""


def log_path(folder: Path, number: int) -> Path:
    """The log of one table."""
    return folder / f"t{number}.table"


Entries = list[tuple[str, Mapping[str, Any]]]
"""Entries of a log: kind, data."""


async def write_log(
    path: Path, game: Entries, until: float, chance: random.Random, written: asyncio.Event, slow_s: float
) -> None:
    """Append what the log does not have yet, spread over the time that is left, by a clock that is slow."""
    with TableStore(path) as store:
        done = len(store.entries())
        for n, (kind, data) in enumerate(game[done:], done):
            # Half of the time that is left for each entry on the average, with bursts and pauses.
            left = max(0.0, until - time.monotonic()) / (len(game) - n)
            await asyncio.sleep(left * chance.choice((0.0, 0.0, 0.5, 1.0, 3.0)))
            store.append(kind, data, at_s=time.time() - slow_s)
            written.set()


async def show(uplink: Uplink, log: LogReader, chance: random.Random) -> None:
    """Previews as large and as often as a table's link sends them, and statuses; both may be lost."""
    picture = b"\xff\xd8" + chance.randbytes(PREVIEW_BYTES - 2)
    await asyncio.sleep(chance.random() * PREVIEW_S)
    said_s = 0.0
    while True:
        with contextlib.suppress(OSError, StoreError):
            await uplink.send(picture)
            if time.monotonic() - said_s >= STATUS_S and (game := log.game) is not None:
                await uplink.send(Told(status=Status(game=game, phase="playing", seeing="still")))
                said_s = time.monotonic()
        await asyncio.sleep(PREVIEW_S)


async def link(log: LogReader, uplink: Uplink, chance: random.Random, written: asyncio.Event) -> None:
    """Publish the log for ever, as late as a table's link does, which looks into it now and then."""
    publisher = Publisher(uplink, log)
    while True:
        try:
            written.clear()
            await publisher.publish_new()
            await written.wait()
            await asyncio.sleep(chance.random() * LOOK_S)
        except (OSError, StoreError):
            await asyncio.sleep(RETRY_S)


async def refused(_: int) -> None:
    """End the run: no key of it is revoked."""
    raise SystemExit("the hub refuses a table")


async def sit(folder: Path, number: int, invited: str | None, game: Entries, seconds: float) -> None:
    """One table from its first entry until it is killed; without an invitation it only writes."""
    chance = random.Random(number)
    path = log_path(folder, number)
    await asyncio.sleep(chance.random() * 2)
    written = asyncio.Event()
    until, slow_s = time.monotonic() + seconds, SLOW_S if number == SLOW_CLOCK else 0.0
    writing = asyncio.create_task(write_log(path, game, until, chance, written, slow_s))
    if invited is None:
        await writing
        return
    log, uplink = LogReader(path), Uplink(invitation_of(invited))
    await uplink.connect(asyncio.Event(), lambda: None, refused)
    await asyncio.gather(writing, show(uplink, log, chance), link(log, uplink, chance, written))


async def main(folder: Path, first: int, last: int, linked: int, seconds: float) -> None:
    """All tables of this process."""
    invited = json.loads((folder / "invitations.json").read_text())
    games = read_games(folder / "games.json")
    tables = [
        sit(folder, n, invited[f"t{n}"] if n >= linked else None, games[n % len(games)], seconds)
        for n in range(first, last)
    ]
    await asyncio.gather(*tables)


if __name__ == "__main__":
    first, last, linked = map(int, sys.argv[2:5])
    asyncio.run(main(Path(sys.argv[1]), first, last, linked, float(sys.argv[5])))
