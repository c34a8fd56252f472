"""A table's log on its way to the hub over a WebSocket: every entry once and in order, whatever is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine, select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port, until
from tests.tilesight.club.socket_hubs import ServedHub, served_hub, speaking
from tilesight.club import hub_socket
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.frames import REVOKED, SECOND, Commanded, Entries, Held, Hello, Replied, Stored
from tilesight.club.hub.forgetting import Forgetting
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets import link_sockets
from tilesight.club.invitation import invitation_of
from tilesight.club.link.link import Link
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import DivergedError
from tilesight.club.link.table_api import TableApi
from tilesight.club.messages import LogEntry, Reply


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


@pytest.fixture
def served(tmp_path: Path, engine: Engine) -> Iterator[ServedHub]:
    with served_hub(tmp_path / "club", engine) as running:
        yield running


def numbers(engine: Engine) -> list[int]:
    with Session(engine) as session:
        return list(session.scalars(select(LoggedEntry.number)))


def agrees(engine: Engine, table: Table) -> bool:
    """Whether the hub has the whole log once and in order, and the table's scores."""
    with Session(engine) as session:
        game = session.scalar(select(Game))
        scores = dict(game.scores) if game is not None and game.folded and game.scores else None
    return numbers(engine) == list(range(1, table.entries + 1)) and scores == table.scores


def entry(number: int, **data: Any) -> LogEntry:
    return LogEntry(number=number, kind="said", at_s=1.0, data=data)


def run_link(invited: str, table: Table, during: Any, said: list[str] | None = None) -> None:
    """Run a link in this process while ``during()`` runs in a thread."""

    async def main() -> None:
        log = LogReader(table.path)
        lines = [] if said is None else said
        link = Link(invitation_of(invited), log, TableApi("http://127.0.0.1:1"), lines.append, None)
        running = asyncio.create_task(link.run())
        try:
            done, _ = await asyncio.wait(
                {running, asyncio.create_task(asyncio.to_thread(during))}, return_when=asyncio.FIRST_COMPLETED
            )
            for one in done:
                one.result()
        finally:
            link.end()
            await asyncio.wait({running}, timeout=20)
            log.close()

    asyncio.run(main())


def test_a_tables_log_comes_to_the_hub_and_the_page_shows_it(
    served: ServedHub, engine: Engine, tmp_path: Path
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(3)
    link = LinkProcess(served.invite("hall-1").url, table.path)
    until(lambda: agrees(engine, table))
    table.play(2)
    until(lambda: agrees(engine, table))
    until(lambda: served.hub.tables() and served.hub.tables()[0].turns == 5)
    assert served.hub.tables()[0].id == "hall-1" and served.hub.health().wrong == ()
    assert served.sockets["links"] == 1 and "JOINKEY" not in str(Records(engine).entries(1))
    table.close()
    assert "entries sent as table hall-1" in link.finish()


def test_what_is_played_while_the_hub_is_away_is_sent_afterwards(engine: Engine, tmp_path: Path) -> None:
    table, port = Table(tmp_path / "a.table"), free_port()
    with served_hub(tmp_path / "club", engine, port) as served:
        invited = served.invite("hall-1").url
    table.play(2)

    def outages() -> None:
        for _ in range(2):
            with served_hub(tmp_path / "club", engine, port):
                until(lambda: agrees(engine, table))
            table.play(2)
        with served_hub(tmp_path / "club", engine, port):
            until(lambda: agrees(engine, table))

    run_link(invited, table, outages)
    table.close()


def test_a_full_disk_delays_and_loses_nothing(
    served: ServedHub, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, full = Records.store, True

    def fails(*given: Any) -> set[int]:
        if full:
            raise OperationalError("INSERT", {}, Exception("database or disk is full"))
        return store(*given)

    monkeypatch.setattr(Records, "store", fails)
    table = Table(tmp_path / "a.table")
    table.play(2)

    def space() -> None:
        nonlocal full
        until(lambda: served.hub.health().wrong == ("database",))
        assert not numbers(engine)
        full = False
        until(lambda: agrees(engine, table))
        assert served.hub.health().wrong == ()

    run_link(served.invite("hall-1").url, table, space)
    table.close()


def test_what_is_sent_twice_or_without_its_predecessor_changes_nothing(
    served: ServedHub, engine: Engine
) -> None:
    invited = served.invite("hall-1")

    async def main() -> None:
        async with speaking(invited) as one:
            assert await one.ask(Hello(game="g")) == Held(game="g")
            both = Entries(game="g", entries=[entry(1), entry(2)])
            assert await one.ask(both) == Stored(game="g", number=2)
            assert await one.ask(both) == Stored(game="g", number=2)
            changed = Entries(game="g", entries=[entry(2, other=1)])
            assert await one.ask(changed) == Stored(game="g", number=2)
            assert await one.ask(Hello(game="g")) == Held(game="g", last=entry(2))
            await one.say(Entries(game="g", entries=[entry(4)]))
            assert "entry 3 is missing" in (await one.closed())[1]

    asyncio.run(main())
    assert numbers(engine) == [1, 2] and served.sockets["links_refused"] == 1


def test_a_key_has_one_connection_and_ends_within_a_second(
    served: ServedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    invited = served.invite("hall-1")

    async def main() -> None:
        async with speaking(invited) as first:
            await first.ask(Hello(game="g"))
            async with speaking(invited) as second:
                assert await second.closed() == (SECOND, "this key has a connection already")
            monkeypatch.setattr(link_sockets, "SILENT_S", 0.0)
            async with speaking(invited) as third:  # the first is silent: as after a cut of the network
                assert (await first.closed())[0] == SECOND
                await third.ask(Hello(game="g"))
                served.ring.revoke("hall-1", Role.TABLE)
                begun = time.monotonic()
                assert (await third.closed())[0] == REVOKED
                assert time.monotonic() - begun < 1.5

    asyncio.run(main())


def test_a_refused_table_says_so_once(
    served: ServedHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_socket, "REFUSED_S", 0.1)
    invited, table, said = served.invite("hall-1"), Table(tmp_path / "a.table"), list[str]()
    served.ring.revoke("hall-1", Role.TABLE)
    run_link(invited.url, table, lambda: time.sleep(2), said)
    table.close()
    assert len(said) == 1 and "refuses this table's invitation" in said[0]


def test_a_command_is_answered_by_its_id(served: ServedHub) -> None:
    invited = served.invite("hall-1")

    async def main() -> None:
        async with speaking(invited) as one:
            await one.ask(Hello(game="g"))
            await one.ask(Entries(game="g", entries=[entry(1)]))
            await asyncio.to_thread(until, lambda: served.hub.tables())
            asked = asyncio.create_task(
                asyncio.to_thread(served.hub.command, "hall-1", "/api/undo", {"a": 1})
            )
            heard = await one.hear()
            assert isinstance(heard, Commanded) and heard.command.path == "/api/undo"
            await one.say(Replied(id="another", reply=Reply(status=500)))
            await one.say(Replied(id=heard.id, reply=Reply(status=200, body={"ok": True})))
            answer = await asked
            assert (answer.status, answer.body) == (200, {"ok": True})

    asyncio.run(main())


def test_another_log_of_the_same_game_is_not_sent(served: ServedHub, engine: Engine, tmp_path: Path) -> None:
    table = Table(tmp_path / "a.table")
    table.play(2)
    log = LogReader(table.path)
    game = log.game or ""
    log.close()
    Records(engine).store("hall-1", game, [entry(1), entry(2)])
    with pytest.raises(DivergedError):
        run_link(served.invite("hall-1").url, table, lambda: time.sleep(20))
    table.close()


def test_a_removed_game_stays_removed(served: ServedHub, engine: Engine, tmp_path: Path) -> None:
    table = Table(tmp_path / "a.table")
    table.play(2)
    forgetting = Forgetting(engine)

    def removed() -> None:
        until(lambda: agrees(engine, table))
        forgetting.forget(forgetting.games())
        table.play(1)
        until(lambda: not served.hub.tables()[0].players)
        time.sleep(1)
        assert not numbers(engine)

    invited = served.invite("hall-1").url
    run_link(invited, table, removed)
    said = list[str]()
    run_link(invited, table, lambda: time.sleep(1), said)
    table.close()
    assert not numbers(engine) and said == []
