"""Simulated tables in one process: each writes the log of a finished game at a fast clock, and links it.

``python -m tests.club.tables FOLDER SERVER FIRST LAST LINKED SECONDS``: FOLDER has `seeds.json`; a table that
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

from nats.aio.client import Client

from tests.club.games import read_games
from tilesight.club.connection import Address, connected
from tilesight.club.link.link import LOOK_S, PREVIEW_S, RETRY_S, STATUS_S
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import AWAY, Publisher
from tilesight.club.messages import PREVIEW_BYTES, Status
from tilesight.club.subjects import table_subject
from tilesight.table_log.event_store import StoreError, TableStore


def log_path(folder: Path, number: int) -> Path:
    """The log of one table."""
    return folder / f"t{number}.table"


Entries = list[tuple[str, Mapping[str, Any]]]
"""Entries of a log: kind, data."""


async def write_log(
    path: Path, game: Entries, until: float, chance: random.Random, written: asyncio.Event
) -> None:
    """Append what the log does not have yet, spread over the time that is left."""
    with TableStore(path) as store:
        done = len(store.entries())
        for n, (kind, data) in enumerate(game[done:], done):
            # Half of the time that is left for each entry on the average, with bursts and pauses.
            left = max(0.0, until - time.monotonic()) / (len(game) - n)
            await asyncio.sleep(left * chance.choice((0.0, 0.0, 0.5, 1.0, 3.0)))
            store.append(kind, data)
            written.set()


async def show(connection: Client, number: int, log: LogReader, chance: random.Random) -> None:
    """Previews as large and as often as a table's link sends them, and statuses; both may be lost."""
    picture = b"\xff\xd8" + chance.randbytes(PREVIEW_BYTES - 2)
    await asyncio.sleep(chance.random() * PREVIEW_S)
    said_s = 0.0
    while True:
        with contextlib.suppress(*AWAY, StoreError):
            if connection.is_connected:
                await connection.publish(table_subject(f"t{number}", "preview"), picture)
                if time.monotonic() - said_s >= STATUS_S and (game := log.game) is not None:
                    status = Status(game=game, phase="playing", seeing="still")
                    await connection.publish(table_subject(f"t{number}", "status"), status.encoded())
                    said_s = time.monotonic()
        await asyncio.sleep(PREVIEW_S)


async def link(
    log: LogReader, number: int, connection: Client, chance: random.Random, written: asyncio.Event
) -> None:
    """Publish the log for ever, as late as a table's link does, which looks into it now and then."""
    publisher = Publisher(connection.jetstream(timeout=5), f"t{number}", log)
    while True:
        try:
            written.clear()
            await publisher.publish_new()
            await written.wait()
            await asyncio.sleep(chance.random() * LOOK_S)
        except (*AWAY, StoreError):
            await asyncio.sleep(RETRY_S)


async def sit(
    folder: Path, server: str, number: int, seed: str | None, game: Entries, seconds: float
) -> None:
    """One table from its first entry until it is killed; without a seed it only writes."""
    chance = random.Random(number)
    path = log_path(folder, number)
    await asyncio.sleep(chance.random() * 2)
    written = asyncio.Event()
    writing = asyncio.create_task(write_log(path, game, time.monotonic() + seconds, chance, written))
    if seed is None:
        await writing
        return
    log = LogReader(path)
    address = Address((server,), seed, f"_INBOX.table.t{number}")
    connection = await connected(address, f"t{number}")
    showing = asyncio.create_task(show(connection, number, log, chance))
    await asyncio.gather(writing, showing, link(log, number, connection, chance, written))


async def main(folder: Path, server: str, first: int, last: int, linked: int, seconds: float) -> None:
    """All tables of this process."""
    seeds = json.loads((folder / "seeds.json").read_text())
    games = read_games(folder / "games.json")
    tables = [
        sit(folder, server, n, seeds[f"t{n}"] if n >= linked else None, games[n % len(games)], seconds)
        for n in range(first, last)
    ]
    await asyncio.gather(*tables)


if __name__ == "__main__":
    first, last, linked = map(int, sys.argv[3:6])
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], first, last, linked, float(sys.argv[6])))
