"""A table's log on its way to the hub over a WebSocket: every entry once and in order, also after losses."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port, until
from tests.tilesight.club.socket_hubs import ServedHub, served_hub, speaking
from tilesight.club import hub_socket
from tilesight.club.credentials import CredentialError, Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.frames import REVOKED, SECOND, Commanded, Entries, Held, Hello, Replied, Stored
from tilesight.club.hub.forgetting import Forgetting
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets import link_sockets
from tilesight.club.invitation import Invitation, invitation_of
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


def run_link(
    invited: str, table: Table, during: Callable[[], object] | None, said: list[str] | None = None
) -> None:
    """Run a link in this process while ``during()`` runs in a thread; until it ends by itself without it."""

    async def main() -> None:
        log = LogReader(table.path)
        lines = [] if said is None else said
        link = Link(invitation_of(invited), log, TableApi("http://127.0.0.1:1"), lines.append, None)
        running = asyncio.create_task(link.run())
        try:
            waiting: set[asyncio.Task[Any]] = {running}
            if during is not None:
                waiting.add(asyncio.create_task(asyncio.to_thread(during)))
            done, _ = await asyncio.wait(waiting, timeout=60, return_when=asyncio.FIRST_COMPLETED)
            assert done
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


def test_turns_played_while_the_hub_is_away_are_sent_afterwards(engine: Engine, tmp_path: Path) -> None:
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


def test_repeated_entries_change_nothing_and_a_missing_one_ends_the_connection(
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
            async with speaking(invited, link="b") as second:
                assert await second.closed() == (SECOND, "this key has a connection already")
            await first.ask(Hello(game="g"))
            monkeypatch.setattr(link_sockets, "SILENT_S", 0.0)
            async with speaking(invited, link="c") as third:  # the first is silent
                assert (await first.closed())[0] == SECOND
                await third.ask(Hello(game="g"))
                served.ring.revoke("hall-1", Role.TABLE)
                begun = time.monotonic()
                assert (await third.closed())[0] == REVOKED
                assert time.monotonic() - begun < 1.5

    asyncio.run(main())


def test_a_process_takes_its_own_connection_over(served: ServedHub) -> None:
    invited = served.invite("hall-1")

    async def main() -> None:
        async with speaking(invited, link="a") as first:
            await first.ask(Hello(game="g"))
            async with speaking(invited, link="a") as again:  # as after a cut of the network
                assert (await first.closed())[0] == SECOND
                await again.ask(Hello(game="g"))

    asyncio.run(main())


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The connections that links have tried; one after a refusal follows at once."""
    tried, opened = list[str](), hub_socket._opened

    async def spied(invited: Invitation, link: str) -> Any:
        tried.append(link)
        return await opened(invited, link)

    monkeypatch.setattr(hub_socket, "REFUSED_S", 0.1)
    monkeypatch.setattr(hub_socket, "_opened", spied)
    return tried


def test_a_refused_table_says_so_once(served: ServedHub, tmp_path: Path, attempts: list[str]) -> None:
    invited, table, said = served.invite("hall-1"), Table(tmp_path / "a.table"), list[str]()
    served.ring.revoke("hall-1", Role.TABLE)
    run_link(invited.url, table, lambda: until(lambda: len(attempts) > 3), said)
    table.close()
    assert len(said) == 1 and "refuses this table's invitation" in said[0]
    assert len(set(attempts)) == 1


def test_a_second_table_with_an_invitation_says_so_and_waits(
    served: ServedHub, engine: Engine, tmp_path: Path, attempts: list[str]
) -> None:
    invited, table, said = served.invite("hall-1"), Table(tmp_path / "a.table"), list[str]()
    table.play(1)
    first_ends = threading.Event()

    async def first() -> None:
        async with speaking(invited, link="first") as one:
            await one.ask(Hello(game="g"))
            await asyncio.to_thread(first_ends.wait, 60)

    def wait() -> None:
        until(lambda: served.sockets["links"])
        until(lambda: len(attempts) > 3)
        assert not numbers(engine)
        first_ends.set()
        until(lambda: agrees(engine, table))

    holding = threading.Thread(target=asyncio.run, args=(first(),))
    holding.start()
    until(lambda: served.sockets["links"])
    run_link(invited.url, table, wait, said)
    holding.join()
    table.close()
    assert len(said) == 2 and "Another table is connected" in said[0] and "is back" in said[1]


def test_an_encrypted_hub_is_known_by_its_certificate(engine: Engine, tmp_path: Path) -> None:
    table = Table(tmp_path / "a.table")
    table.play(1)
    with served_hub(tmp_path / "club", engine, secure_port=free_port()) as served:
        invited = served.invite("hall-1")
        assert invited.link_url.startswith("wss://")
        run_link(invited.url, table, lambda: until(lambda: agrees(engine, table)))
        forged = replace(invited, fingerprint="AB" * 32)  # what another server would show
        with pytest.raises(CredentialError, match="its certificate is another"):
            run_link(forged.url, table, None)
    table.close()


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
        run_link(served.invite("hall-1").url, table, None)
    table.close()


def test_a_removed_game_stays_removed(
    served: ServedHub, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(2)
    forgetting = Forgetting(engine)
    store, last, asked = Records.store, Records.last, list[str]()

    def stores(*given: Any) -> set[int]:
        changed = store(*given)
        asked.append("store")
        return changed

    def lasts(*given: Any) -> LogEntry | None:
        found = last(*given)
        asked.append("last")
        return found

    def removed() -> None:
        until(lambda: agrees(engine, table))
        forgetting.forget(forgetting.games())
        asked.clear()
        table.play(1)
        until(lambda: not served.hub.tables()[0].players)
        until(lambda: "store" in asked)

    monkeypatch.setattr(Records, "store", stores)
    monkeypatch.setattr(Records, "last", lasts)
    invited = served.invite("hall-1").url
    run_link(invited, table, removed)
    assert not numbers(engine)
    said = list[str]()
    asked.clear()
    run_link(invited, table, lambda: until(lambda: "last" in asked), said)
    table.close()
    assert not numbers(engine) and said == [] and "store" not in asked
