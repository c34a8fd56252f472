"""Tables without a computer: kept through restarts, told to workers, their pictures on their way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

import nats
from nats.aio.client import Client
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NoKeysError
from nats.js.kv import KeyValue
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from tests.tilesight.club.club_parts import LinkProcess, Nats, Table, nats_server, until
from tilesight.club.connection import Address
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import PhoneTableRow
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.messages import PhoneTable
from tilesight.club.subjects import PHONE_TABLES, table_subject
from web.club.phone_tables import NewPhoneTable
from web.table.refusal import Refusal

ASKED = NewPhoneTable("Table 7", "safari", (("red", "Ana"), ("blue", "Bo")))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


@asynccontextmanager
async def connected_to(server: Nats) -> AsyncIterator[Client]:
    client = await nats.connect(server.url)
    try:
        yield client
    finally:
        await client.close()
        await asyncio.sleep(0.05)  # its transport ends after it


async def told(server: Nats, wanted: Callable[[Mapping[str, PhoneTable]], bool]) -> Mapping[str, PhoneTable]:
    """What the bucket says of each table, once it is as wanted."""
    async with connected_to(server) as client:
        for _ in range(200):
            with contextlib.suppress(JetStreamError):
                now = await _in_bucket(await client.jetstream().key_value(PHONE_TABLES))
                if wanted(now):
                    return now
            await asyncio.sleep(0.1)
    raise AssertionError("workers were not told in time")


async def _in_bucket(bucket: KeyValue) -> Mapping[str, PhoneTable]:
    try:
        names = await bucket.keys()
    except NoKeysError:
        return {}
    values = {name: (await bucket.get(name)).value or b"" for name in names}
    return {name: PhoneTable.model_validate_json(value) for name, value in values.items()}


def test_a_table_and_its_key_outlive_the_hub(engine: Engine) -> None:
    tables = PhoneTables(engine)
    seven = tables.begin(ASKED)
    eight = tables.begin(NewPhoneTable("Table 8", "tricky-safari", (("yellow", "A=B"), ("red", "C"))))
    tables.end(seven.id)
    again = PhoneTables(engine)
    assert again.open_tables() == [eight] and again.key_of("table-8") == eight.key
    assert again.key_of("table-7") is None
    with Session(engine) as session:
        closed = session.get_one(PhoneTableRow, "table-7")
    assert (closed.players, closed.key) == ("", ""), "who played is forgotten"


def test_workers_are_told_of_every_change_also_after_nats_was_lost(engine: Engine, tmp_path: Path) -> None:
    tables = PhoneTables(engine)
    seven = tables.begin(ASKED)
    with nats_server(tmp_path / "nats") as server, Hub(engine, Address((server.url,)), phones=tables) as hub:
        first = asyncio.run(told(server, bool))
        assert first["table-7"] == PhoneTable(
            game="safari", players="red=Ana,blue=Bo", key=seven.key, made_s=seven.made_s
        )
        [card] = hub.tables()
        assert (card.phone, card.log, card.phase, card.connection) == ("open", "", "waiting", "quiet")
        server.kill()
        tables.begin(NewPhoneTable("Table 8", "safari", ASKED.players))
        tables.end(seven.id)
        server.start()

        asyncio.run(told(server, lambda now: set(now) == {"table-8"}))
        assert {one.id: one.phone for one in hub.tables()} == {"table-7": "closed", "table-8": "open"}
        asyncio.run(_forget(server))
        tables.end("table-8")
        asyncio.run(told(server, lambda now: now == {}))


async def _forget(server: Nats) -> None:
    """As if the server's disk had been lost."""
    async with connected_to(server) as client:
        await client.jetstream().delete_key_value(PHONE_TABLES)


def test_pictures_come_to_who_sees_for_the_table(engine: Engine, tmp_path: Path) -> None:
    tables = PhoneTables(engine)
    tables.begin(ASKED)

    async def watch(server: Nats) -> list[bytes]:
        came: list[bytes] = []
        async with connected_to(server) as client:
            pictures = await client.subscribe(table_subject("table-7", "frame"))
            await client.flush()
            for picture in (b"one", b"x" * tables.picture_bytes):
                tables.push_picture("table-7", picture)
                came.append((await pictures.next_msg(10)).data)
        return came

    with nats_server(tmp_path / "nats") as server, Hub(engine, Address((server.url,)), phones=tables):
        until(lambda: tables._nats)
        assert asyncio.run(watch(server)) == [b"one", b"x" * 900_000]


def test_pictures_do_not_pile_up_before_a_server_that_stands_still(engine: Engine, tmp_path: Path) -> None:
    tables = PhoneTables(engine)
    tables.begin(ASKED)
    picture = bytes(tables.picture_bytes)
    with nats_server(tmp_path / "nats") as server, Hub(engine, Address((server.url,)), phones=tables):
        until(lambda: tables._nats)
        server.pause()

        def refused() -> str | None:
            try:
                tables.push_picture("table-7", picture)
            except Refusal as refusal:
                return refusal.code
            return None

        assert until(refused, 10) == "nats_away"
        server.resume()
        until(lambda: refused() is None)


def test_the_card_of_an_evening_before_gives_way_to_the_new_table(engine: Engine, tmp_path: Path) -> None:
    tables = PhoneTables(engine)
    with nats_server(tmp_path / "nats") as server, Hub(engine, Address((server.url,)), phones=tables) as hub:
        tables.begin(ASKED)
        table = Table(tmp_path / "a.table")
        table.play(2)
        link = LinkProcess(f"{server.url}/table-7", table.path)
        until(lambda: hub.tables()[0].turns == 2)
        assert (hub.tables()[0].phone, hub.tables()[0].phase) == ("open", "playing")
        table.close()
        link.finish()
        tables.end("table-7")
        assert (hub.tables()[0].phone, hub.tables()[0].turns) == ("closed", 2)
        tables.begin(ASKED)
        assert (hub.tables()[0].phone, hub.tables()[0].turns, hub.tables()[0].log) == ("open", 0, "")
