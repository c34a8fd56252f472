"""A table's log on its way to the hub: every entry once and in order, whatever is killed."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from tests.tilesight.club.club_parts import LinkProcess, Nats, Table, nats_server, until
from tests.tilesight.club.nats_servers import holder, serving
from tilesight.club import connection
from tilesight.club.connection import Address, connected, ensure_stream
from tilesight.club.credentials import KeyRing, Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry, Quarantined, StreamPlace
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.records import Published, Records
from tilesight.club.invitation import Invitation
from tilesight.club.link.hub_address import hub_of
from tilesight.club.link.link import Link
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.table_api import TableApi
from tilesight.club.subjects import CONSUMER, STREAM
from web.api.boards import PlacementQuery

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Nats]:
    with nats_server(tmp_path / "nats") as running:
        yield running


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


def numbers(engine: Engine) -> list[int]:
    """The entries' numbers in the order in which they came."""
    with Session(engine) as session:
        return list(session.scalars(select(LoggedEntry.number)))


def scores(engine: Engine) -> dict[str, int] | None:
    with Session(engine) as session:
        game = session.scalar(select(Game))
        return dict(game.scores) if game is not None and game.folded and game.scores else None


async def unacknowledged(server: Nats) -> int:
    """Entries that the hub was given and has not acknowledged."""
    import nats

    client = await nats.connect(server.url)
    try:
        info: Any = await client.jetstream().consumer_info(STREAM, CONSUMER)
        return int(info.num_ack_pending)
    finally:
        await client.close()


def agrees(engine: Engine, table: Table) -> bool:
    """Whether the hub has the whole log once and in order, and the table's scores."""
    return numbers(engine) == list(range(1, table.entries + 1)) and scores(engine) == table.scores


def test_a_tables_log_comes_to_the_hub_while_it_is_written(
    server: Nats, engine: Engine, tmp_path: Path
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(3)
    link = LinkProcess(f"{server.url}/hall-1", table.path)
    with Hub(engine, Address((server.url,))) as hub:
        until(lambda: agrees(engine, table))
        table.play(4)
        until(lambda: agrees(engine, table))
        until(lambda: hub.tables() and hub.tables()[0].turns == 7)
        [card] = hub.tables()
        assert (card.id, card.phase, card.fault) == ("hall-1", "playing", None)
        assert {one.color: one.score for one in card.players} == table.scores
        assert [one.name for one in card.players] == ["Ana", "Bo"]
        state = hub.state("hall-1")
        assert len(state["turns"]) == 7 and state["disputes"] == {}
        shown = hub.dashboard_source("hall-1")
        assert len(shown.table.state().played) == 7 and hub.dashboard_source("hall-1").table is shown.table
        turn = shown.board.choices_json(shown.table, 7, PlacementQuery())
        assert turn["turns"] and turn["player"] == state["turns"][6]["player"]
        table.undo()
        until(lambda: len(hub.dashboard_source("hall-1").table.state().played) == 6)
        assert shown.table.watch().last_id > 0
        until(lambda: hub.tables()[0].disputes == {"undone": 1})
        assert "JOINKEY" not in str(hub._records.entries(1))
        assert hub.health().wrong == ()
    table.close()
    assert "entries sent as table hall-1" in link.finish()


def test_a_link_speaks_as_soon_as_it_is_connected(
    server: Nats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "AWAY_AFTER_S", 600.0)
    table = Table(tmp_path / "a.table")
    table.close()
    there = asyncio.Event()

    async def main() -> None:
        client = await connected(Address((server.url,)), "test")
        await ensure_stream(client.jetstream())
        await client.close()
        hub, log = hub_of(f"{server.url}/hall-1"), LogReader(table.path)
        link = Link(hub, log, TableApi("http://127.0.0.1:1"), lambda _: there.set(), None)
        running = asyncio.create_task(link.run())
        await asyncio.wait_for(there.wait(), 20)
        link.end()
        await running
        log.close()

    asyncio.run(main())


def test_a_table_that_is_refused_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REFUSED_S", 0.1)
    monkeypatch.setattr(connection, "RETRY_S", 0.1)
    table, ring, said = Table(tmp_path / "a.table"), KeyRing(tmp_path / "keys.json"), list[str]()
    seed, _ = holder(ring, "hall-1")
    ring.revoke("hall-1", Role.TABLE)
    with serving(tmp_path / "nats", ring) as server:
        nats_at = f"127.0.0.1:{server.settings.port}"
        hub = hub_of(Invitation("http://127.0.0.1:1", nats_at, Role.TABLE, "hall-1", seed).url)

        async def main() -> None:
            log = LogReader(table.path)
            link = Link(hub, log, TableApi("http://127.0.0.1:1"), said.append, None)
            running = asyncio.create_task(link.run())
            await asyncio.sleep(3)  # many attempts
            link.end()
            await running
            log.close()

        asyncio.run(main())
    table.close()
    assert len(said) == 1 and "refuses this table's invitation" in said[0]


@pytest.mark.long
def test_the_table_plays_on_while_the_hub_is_away_and_nothing_is_lost(
    server: Nats, engine: Engine, tmp_path: Path
) -> None:
    table = Table(tmp_path / "a.table")
    link = LinkProcess(f"{server.url}/hall-1", table.path)
    with Hub(engine, Address((server.url,))):
        table.play(2)
        until(lambda: agrees(engine, table))
        server.kill()
        table.play(3)
        server.start()
        until(lambda: agrees(engine, table))
        link.kill()
        table.play(2)
        link = LinkProcess(f"{server.url}/hall-1", table.path)
        until(lambda: agrees(engine, table))
    # No hub: the stream keeps it. Two links at once: no entry comes twice.
    table.play(2)
    other = LinkProcess(f"{server.url}/hall-1", table.path)
    table.end()
    table.close()
    link.finish()
    other.finish()
    with Hub(engine, Address((server.url,))) as hub:
        until(lambda: numbers(engine) == list(range(1, table.entries + 1)))
        until(lambda: hub.tables()[0].phase == "over")
        final = dict(table.state.final().scores)
        assert {one.color: one.score for one in hub.tables()[0].players} == final


@pytest.mark.long
def test_a_hub_killed_before_it_acknowledges_takes_nothing_twice(
    server: Nats, engine: Engine, tmp_path: Path
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(5)
    link = LinkProcess(f"{server.url}/hall-1", table.path)
    program = (
        "import os, signal, sys\n"
        "from tilesight.club.database.engine import open_database\n"
        "from tilesight.club.connection import Address\n"
        "from tilesight.club.hub.hub import Hub\n"
        "from tilesight.club.hub.folding import Folding\n"
        "Folding.add = lambda self, games: games and os.kill(os.getpid(), signal.SIGKILL)\n"
        "with Hub(open_database(sys.argv[1]), Address((sys.argv[2],))) as hub: hub._thread.join(30)\n"
    )
    dying = [sys.executable, "-c", program, str(tmp_path / "hub.db"), server.url]
    assert subprocess.run(dying, cwd=ROOT, timeout=60).returncode == -9
    assert numbers(engine), "it committed before it died"
    assert asyncio.run(unacknowledged(server))
    with Hub(engine, Address((server.url,))) as hub:
        until(lambda: agrees(engine, table))
        table.play(2)
        # What was not acknowledged comes again, and is nothing wrong.
        until(lambda: asyncio.run(unacknowledged(server)) == 0, 60)
        assert agrees(engine, table) and hub.health().counts["quarantined"] == 0
    table.close()
    link.finish()


@pytest.mark.long
def test_what_is_no_entry_is_put_aside_and_holds_nobody_up(
    server: Nats, engine: Engine, tmp_path: Path
) -> None:
    import nats

    async def shout() -> None:
        client = await nats.connect(server.url)
        stream = client.jetstream()
        for subject, body in (
            ("table.bad.log.x", b"no JSON \0"),
            ("table.bad.log.y", b'{"v":1,"number":1,"kind":"table","at_s":1.0,"data":{"header":7}}'),
            ("table.bad.log.z", b'{"v":1,"number":3,"kind":"table","at_s":1.0,"data":{}}'),
        ):
            await stream.publish(subject, body)
        await client.publish("table.bad.status", b"[]")
        await client.publish("table.bad.preview", b"no picture")
        await client.close()

    table = Table(tmp_path / "a.table")
    with Hub(engine, Address((server.url,))) as hub:
        until(lambda: hub.health().wrong == ())
        asyncio.run(shout())
        link = LinkProcess(f"{server.url}/hall-1", table.path)
        table.play(2)
        until(lambda: any(card.id == "hall-1" and card.turns == 2 for card in hub.tables()))
        until(lambda: hub.health().counts["quarantined"] == 1)
        with Session(engine) as session:
            [aside] = session.scalars(select(Quarantined))
            assert aside.subject == "table.bad.log.x" and "no JSON" in aside.body
        until(lambda: next(card for card in hub.tables() if card.id == "bad").fault)
    table.close()
    link.finish()


@pytest.mark.long
def test_a_game_that_ended_without_the_hub_is_sent_with_the_next_one(
    server: Nats, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    server.kill()
    first = Table(tmp_path / "first.table")
    link = LinkProcess(f"{server.url}/hall-1", first.path)
    first.play(3)
    first.end()
    first.close()
    until(lambda: list((tmp_path / "home").rglob("leftovers/*.json")))
    link.finish()
    server.start()
    second = Table(tmp_path / "second.table", seed=4)
    with Hub(engine, Address((server.url,))) as hub:
        until(lambda: hub.health().wrong == ())  # the stream is made by the hub
        link = LinkProcess(f"{server.url}/hall-1", second.path)
        second.play(1)
        until(lambda: hub.health().counts["entries"] == first.entries + second.entries)
        assert hub.health().counts["games"] == 2
        second.close()
        assert "entries of an earlier game sent" in link.finish()
    assert not list((tmp_path / "home").rglob("leftovers/*.json"))


def test_a_database_that_was_restored_takes_in_again_what_happened_since(
    server: Nats, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(2)
    link = LinkProcess(f"{server.url}/hall-1", table.path)
    with Hub(engine, Address((server.url,))):
        until(lambda: agrees(engine, table))
        with closing(sqlite3.connect(tmp_path / "hub.db")) as now:
            now.execute("vacuum into ?", (str(tmp_path / "copy.db"),))
        table.play(3)
        until(lambda: agrees(engine, table))
        until(lambda: not asyncio.run(unacknowledged(server)))
    link.kill()
    restored = open_database(tmp_path / "copy.db")
    assert not agrees(restored, table)
    with Session(restored) as session:
        place = session.scalars(select(StreamPlace.sequence)).one()
    taken: list[int] = []
    take = Records.take

    def counted(self: Records, messages: Sequence[Published], stream: str = "") -> set[int]:
        taken.extend(one.sequence for one in messages)
        return take(self, messages, stream)

    monkeypatch.setattr(Records, "take", counted)
    with Hub(restored, Address((server.url,))):
        until(lambda: agrees(restored, table))
    assert min(taken) == place + 1  # what it had already is not read again
    restored.dispose()
    table.close()


def test_a_connection_that_begins_anew_leaves_no_tasks(
    server: Nats, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    async def fails(stream: object) -> None:
        begun.append(len(asyncio.all_tasks()))
        await asyncio.sleep(0.2)
        raise ValueError("whatever")

    monkeypatch.setattr("tilesight.club.hub.hub.keep_buckets", fails)
    monkeypatch.setattr("tilesight.club.hub.hub.RETRY_S", 0.05)
    with Hub(engine, Address((server.url,))):
        until(lambda: len(begun) > 4)
    assert max(begun) <= begun[0] + 2
