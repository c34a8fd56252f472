"""Games and people that the hub keeps no longer, on both databases, whoever sends them again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

import nats
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from tests.club.postgres import postgres_serving, program
from tests.tilesight.club.club_parts import LinkProcess, Nats, Table, nats_server, until
from tilesight.club.connection import Address
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Base, Forgotten
from tilesight.club.forget_command import club_app
from tilesight.club.hub.forgetting import Forgetting
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.subjects import STREAM


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "hub.db")
    elif program("postgres") is None:
        pytest.skip("PostgreSQL is not installed")
    else:
        with postgres_serving() as served:
            yield served


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    opened = open_database(url)
    yield opened
    opened.dispose()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Nats]:
    with nats_server(tmp_path / "nats") as running:
        yield running


async def in_stream(server: Nats) -> str:
    """Everything that the stream has."""
    client = await nats.connect(server.url)
    try:
        stream = client.jetstream()
        state = (await stream.stream_info(STREAM)).state
        if not state.messages:
            return ""
        messages = range(state.first_seq, state.last_seq + 1)
        told = []
        for number in messages:
            try:
                told.append((await stream.get_msg(STREAM, number)).data or b"")
            except nats.js.errors.NotFoundError:
                continue
        return b"".join(told).decode()
    finally:
        await client.close()


def kept(engine: Engine) -> str:
    """Everything that the database has."""
    with Session(engine) as session:
        return str([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])


def test_a_person_is_forgotten_also_where_the_table_sends_the_game_again(
    server: Nats, engine: Engine, url: str, tmp_path: Path
) -> None:
    import asyncio

    table = Table(tmp_path / "a.table")
    table.play(3)
    link = LinkProcess(f"{server.url}/hall-1", table.path)
    with Hub(engine, Address((server.url,))) as hub:
        tournaments = Tournaments(engine, hub.tables)
        number = tournaments.begin("Cup", 1, 2, "swiss", None)
        tournaments.enter(number, ["Ana", "Zoe"])
        until(lambda: [one.turns for one in hub.tables()] == [3])
        said = CliRunner().invoke(club_app, ["forget", "--person", "Ana", "--yes", "--database", url])
        assert said.exit_code == 0 and "1 games removed, and a name from 1 tournaments" in said.output
        until(lambda: not hub.tables()[0].players)
        assert [one["name"] for one in tournaments.tournament(number)["entrants"]] == ["(2)", "Zoe"]
        until(lambda: not Forgetting(engine).in_stream())
        table.play(1)  # the link goes on
        assert "Ana" not in kept(engine) and "Ana" not in asyncio.run(in_stream(server))
        link.kill()
        again = LinkProcess(f"{server.url}/hall-1", table.path)  # and asks anew how far it came
        time.sleep(2)
        again.kill()
        blocks = (tmp_path / "nats").rglob("*.blk")
        assert not any(b"Ana" in path.read_bytes() for path in blocks), "its bytes are still on the disk"
        assert "Ana" not in kept(engine) and "Ana" not in asyncio.run(in_stream(server))
    table.close()


def test_what_the_stream_has_lost_and_gets_again_is_not_kept(
    server: Nats, engine: Engine, tmp_path: Path
) -> None:
    import asyncio

    async def lose() -> None:
        client = await nats.connect(server.url)
        await client.jetstream().purge_stream(STREAM)
        await client.close()

    table = Table(tmp_path / "a.table")
    table.play(2)
    with Hub(engine, Address((server.url,)), keep_days=1) as hub:
        LinkProcess(f"{server.url}/hall-1", table.path).finish()
        until(lambda: [one.turns for one in hub.tables()] == [2])
        Forgetting(engine).forget(Forgetting(engine).games())
        until(lambda: not Forgetting(engine).in_stream())
        asyncio.run(lose())
        LinkProcess(f"{server.url}/hall-1", table.path).finish()
        until(lambda: not Forgetting(engine).in_stream() and "Ana" not in asyncio.run(in_stream(server)))
        assert "Ana" not in kept(engine) and not hub.tables()[0].players
    table.close()


def test_games_are_kept_for_so_many_days_by_the_hubs_own_clock(engine: Engine, tmp_path: Path) -> None:
    from tilesight.club.hub.records import Published, Records
    from tilesight.club.messages import LogEntry

    records, forgetting = Records(engine), Forgetting(engine)
    entry = LogEntry(number=1, kind="opened", at_s=1.0, data={"names": {"red": "Ana"}})  # a clock never set
    message = Published("table.a.log.g", 1, entry.encoded())
    records.take([message])
    Tournaments(engine, tuple).begin("Cup", 1, 2, "swiss", None)
    assert forgetting.forget_before(time.time() - 60) == 0
    assert forgetting.forget_before(time.time() + 60) == 1
    assert not Tournaments(engine, tuple).tournaments() and "Ana" not in kept(engine)
    records.take([message])
    assert not forgetting.games() and [one.table for one in forgetting.in_stream()] == ["a"]
    with Session(engine) as session:
        [row] = session.scalars(select(Forgotten))
        assert (row.table_id, row.log_id) == ("a", "g")


def test_what_is_wrong_is_said_in_a_line(tmp_path: Path) -> None:
    from tests.test_readme import accepted

    accepted(("club", "games", "--person", "Ana"))
    said = CliRunner().invoke(club_app, ["games", "--folder", str(tmp_path)])
    assert "there is no database" in str(said.exception)
    open_database(tmp_path / "hub.db").dispose()
    said = CliRunner().invoke(club_app, ["forget", "a/b", "--folder", str(tmp_path)])
    assert str(said.exception) == "there is no game a/b"
