"""Attack: the holder of one table's key of a club writes into other tables, commands them, floods the hub.

Held: a connection belongs to the table of its key, and no frame names a table. An invalid frame or one that
is too large closes its own connection with a reason and is counted. A key has one connection. The socket of a
table that floods is read more slowly, and all others go on. A full disk is told, and left behind when there
is space again.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

import httpx
from sqlalchemy import Engine, event, select
from sqlalchemy.orm import Session
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.tilesight.club.club_parts import LinkProcess, Table, until
from tests.tilesight.club.socket_hubs import ServedHub, served_hub, speaking
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.frames import (
    FRAME_BYTES,
    SECOND,
    WRONG,
    Entries,
    Held,
    Hello,
    Here,
    Replied,
    Stored,
    Told,
)
from tilesight.club.hub.sockets import held_socket, table_socket
from tilesight.club.messages import PREVIEW_BYTES, Command, LogEntry, Reply, Status
from web.table.refusal import Refusal


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


@pytest.fixture
def served(tmp_path: Path, engine: Engine) -> Iterator[ServedHub]:
    with served_hub(tmp_path / "club", engine) as running:
        yield running


def entry(number: int) -> LogEntry:
    return LogEntry(number=number, kind="said", at_s=1.0, data={})


def stored(tmp_path: Path) -> list[tuple[str, str, int]]:
    """Table, game and number of every entry at the hub."""
    engine = open_database(tmp_path / "hub.db")
    with Session(engine) as session:
        asked = select(Game.table_id, Game.log_id, LoggedEntry.number).join_from(LoggedEntry, Game)
        rows = [(table, game, number) for table, game, number in session.execute(asked)]
    engine.dispose()
    return sorted(rows)


def test_a_key_reaches_no_other_table(served: ServedHub, tmp_path: Path) -> None:
    good, bad = served.invite("good"), served.invite("bad")
    forged = {"table": "good", "name": "good", "subject": "table.good.log.g"}

    async def main() -> None:
        async with speaking(good) as victim, speaking(bad) as hostile:
            await victim.ask(Hello(game="g"))
            await victim.ask(Entries(game="g", entries=[entry(1)]))
            await asyncio.to_thread(until, lambda: any(one.id == "good" for one in served.hub.tables()))
            # The same game's id, and every name of another table in the frame: all stays the sender's.
            assert await hostile.ask(Hello(game="g")) == Held(game="g"), "it reads another table's log"
            told = {**Entries(game="g", entries=[entry(1), entry(2)]).model_dump(), **forged}
            await hostile.say(json.dumps(told))
            assert await hostile.hear() == Stored(game="g", number=2)
            status = Status(game="g", phase="playing", seeing="hostile")
            await hostile.say(json.dumps({**Told(status=status).model_dump(), **forged}))
            await hostile.say(b"\xff\xd8 a picture")
            await hostile.ask(Hello(game="g"))  # all before it was handled
            assert served.hub.preview("bad") == b"\xff\xd8 a picture"
            with pytest.raises(Refusal):
                served.hub.preview("good")
            # It answers a command to the victim first, whose id it may have guessed, and is not heard.
            asked = asyncio.create_task(asyncio.to_thread(served.hub.command, "good", "/api/end", {}))
            command = await victim.hear()
            assert command.type == "command"
            await hostile.say(Replied(id=command.id, reply=Reply(status=200, body="hostile")))
            await hostile.ask(Hello(game="g"))
            await victim.say(Replied(id=command.id, reply=Reply(status=200, body="victim")))
            assert (await asked).body == "victim"
            # A table commands no table.
            frame = {"type": "command", "id": "x", "command": {"id": "x", "path": "/api/end"}, **forged}
            await hostile.say(json.dumps(frame))
            assert (await hostile.closed())[0] == WRONG
            assert await victim.ask(Hello(game="g")) == Held(game="g", last=entry(1))

    asyncio.run(main())
    assert stored(tmp_path) == [("bad", "g", 1), ("bad", "g", 2), ("good", "g", 1)]


JUNK: list[str | bytes] = [
    "",
    "junk \0",
    "[]",
    "[" * 100_000,
    '{"type": "unknown"}',
    '{"type": "hello", "game": "../x"}',
    '{"type": "hello", "game": "g", "v": 2}',
    '{"type": "entries", "game": "g", "entries": []}',
    '{"type": "entries", "game": "never-said", "entries": [{"number":1,"kind":"a","at_s":1.0,"data":{}}]}',
    '{"type": "here", "unsent": -1}',
    '{"type": "status", "status": {"phase": 1}}',
    '{"type": "reply", "id": "x"}',
    b"\0" * (PREVIEW_BYTES + 1),
    "x" * (FRAME_BYTES + 1),
]
"""Frames that are invalid or too large."""


def test_junk_closes_its_own_connection_and_is_counted(served: ServedHub) -> None:
    good, bad = served.invite("good"), served.invite("bad")

    async def main() -> None:
        async with speaking(good) as victim:
            for number, junk in enumerate(JUNK, 1):
                async with speaking(bad) as hostile:
                    await hostile.say(junk)
                    code, reason = await hostile.closed()
                    assert (code, bool(reason)) == (WRONG, True), junk[:60]
                assert served.sockets["links_refused"] == number
            async with speaking(bad) as hostile:  # far beyond: the server itself stops reading it
                with pytest.raises(ConnectionClosed):
                    await hostile.say("x" * 20_000_000)
                    await hostile.hear()
            assert await victim.ask(Hello(game="g")) == Held(game="g")

    asyncio.run(main())
    assert served.hub.health().wrong == ()


def test_no_key_opens_nothing_and_a_key_opens_one(served: ServedHub) -> None:
    bad = served.invite("bad")

    async def main() -> None:
        for secret in ("x", "x" * 5000, "Q" * 26, "the-hubs-own-key"):
            with pytest.raises(InvalidStatus) as refused:
                async with speaking(bad, secret):
                    pass
            assert refused.value.response.status_code == 403
        async with speaking(bad) as first:
            await first.ask(Hello(game="g"))
            for _ in range(20):
                async with speaking(bad) as other:
                    assert (await other.closed())[0] == SECOND
            assert await first.ask(Hello(game="g")) == Held(game="g")

    asyncio.run(main())
    assert httpx.get(f"http://{served.server}/link").status_code == 404


def test_a_flood_slows_its_own_table_alone(served: ServedHub, monkeypatch: pytest.MonkeyPatch) -> None:
    rate, burst, taken = 200_000.0, 400_000.0, list[int]()
    monkeypatch.setattr(held_socket, "BYTES_PER_S", rate)
    monkeypatch.setattr(held_socket, "BURST_BYTES", burst)
    good, bad = served.invite("good"), served.invite("bad")
    desk = served.hub.sockets.desk
    monkeypatch.setattr(desk, "seen", lambda table, jpeg: taken.append(len(jpeg)))
    ended = threading.Event()

    async def flood() -> None:
        async with speaking(bad) as hostile:
            while not ended.is_set():
                await hostile.say(b"\xff\xd8" + b"\0" * (PREVIEW_BYTES - 2))
                await asyncio.sleep(0)

    async def play() -> None:
        async with speaking(good) as victim:
            await victim.ask(Hello(game="g"))
            for number in range(1, 41):
                assert await victim.ask(Entries(game="g", entries=[entry(number)])) == Stored(
                    game="g", number=number
                )

    begun_s = time.monotonic()
    flooding = threading.Thread(target=asyncio.run, args=(flood(),))  # has an event loop of its own
    flooding.start()
    try:
        until(lambda: sum(taken) > burst)  # from here on it is read slowly
        asyncio.run(play())
        took_s, took_bytes = time.monotonic() - begun_s, sum(taken)
        assert took_bytes <= burst + rate * took_s + PREVIEW_BYTES
        until(lambda: sum(taken) > took_bytes)  # it goes on at its share, and its debt is paid once
    finally:
        ended.set()
        served.ring.revoke("bad", Role.TABLE)
        flooding.join(30)
    assert served.hub.health().wrong == ()


def test_many_small_frames_are_slowed_like_large_ones(
    served: ServedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, said = served.invite("bad"), 60
    monkeypatch.setattr(held_socket, "BYTES_PER_S", 10 * held_socket.FRAME_COST_BYTES + 1000.0)
    monkeypatch.setattr(held_socket, "BURST_BYTES", 50 * held_socket.FRAME_COST_BYTES)

    async def main() -> None:
        async with speaking(bad) as hostile:
            begun_s = time.monotonic()
            for _ in range(said):
                await hostile.say(Here())
            await hostile.ask(Hello(game="g"))
            assert time.monotonic() - begun_s > 0.9  # fifty at once, ten a second after that

    asyncio.run(main())


def test_a_full_disk_is_told_and_left_behind(served: ServedHub, tmp_path: Path, engine: Engine) -> None:
    table, full = Table(tmp_path / "a.table"), True
    table.play(2)

    def bound(connection: Any, *_: object) -> None:  # SQLite's own "database or disk is full"
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages if full else 1_000_000_000}")

    event.listen(engine, "checkout", bound)
    link = LinkProcess(served.invite("hall-1").url, table.path)
    for _ in range(40):  # more than fits into the pages that there are
        table.note("x" * 4000)
    until(lambda: served.hub.health().wrong == ("database",))
    assert served.sockets["links_not_stored"] >= 1 and not whole(tmp_path, table)
    page = httpx.get(f"http://{served.server}/healthz")
    assert page.status_code == 503 and page.json()["wrong"] == ["database"]
    full = False
    until(lambda: whole(tmp_path, table))
    until(lambda: served.hub.health().wrong == ())
    table.close()
    link.finish()


def whole(tmp_path: Path, table: Table) -> bool:
    """Whether the hub has the table's log."""
    return [number for _, _, number in stored(tmp_path)] == list(range(1, table.entries + 1))


def test_a_table_that_reads_nothing_holds_no_command(
    served: ServedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_socket, "COMMAND_S", 0.1)
    bad = served.invite("bad")
    large = Command(id="x", path="/api/undo", body={"a": "x" * 900_000})

    async def main() -> None:
        async with speaking(bad) as hostile:
            await hostile.ask(Hello(game="g"))
            hostile.socket.transport.pause_reading()
            for _ in range(20):  # more than the buffers of the sockets take
                asked_s = time.monotonic()
                with pytest.raises(OSError):  # TimeoutError is one
                    await asyncio.to_thread(served.hub.sockets.ask, "bad", large)
                assert time.monotonic() - asked_s < 5
            hostile.socket.transport.abort()

    asyncio.run(main())
