"""A table's log on its way to the hub while either is killed, and what the hub's pages make of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port, until
from tests.tilesight.club.socket_hubs import served_hub
from tests.tilesight.club.test_table_sockets import agrees, numbers
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.invitation import invitation_of
from tilesight.club.inviting import Inviter
from tilesight.club.link import uplink
from tilesight.club.link.link import Link
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.table_api import TableApi
from web.api.boards import PlacementQuery

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


def test_a_tables_log_comes_to_the_hub_while_it_is_written(engine: Engine, tmp_path: Path) -> None:
    table = Table(tmp_path / "a.table")
    table.play(3)
    with served_hub(tmp_path / "club", engine) as served:
        hub = served.hub
        link = LinkProcess(served.invite("hall-1").url, table.path)
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
        until(lambda: shown.table.watch().last_id > 0)
        until(lambda: hub.tables()[0].disputes == {"undone": 1})
        table.close()
        link.finish()


def test_a_link_speaks_as_soon_as_it_is_connected(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uplink, "AWAY_AFTER_S", 600.0)
    table = Table(tmp_path / "a.table")
    table.close()
    there = asyncio.Event()

    async def main(invited: str) -> None:
        log = LogReader(table.path)
        link = Link(invitation_of(invited), log, TableApi("http://127.0.0.1:1"), lambda _: there.set(), None)
        running = asyncio.create_task(link.run())
        await asyncio.wait_for(there.wait(), 20)
        link.end()
        await running
        log.close()

    with served_hub(tmp_path / "club", engine) as served:
        asyncio.run(main(served.invite("hall-1").url))


@pytest.mark.long
def test_a_hub_killed_before_it_acknowledges_takes_nothing_twice(engine: Engine, tmp_path: Path) -> None:
    table, folder, port = Table(tmp_path / "a.table"), tmp_path / "club", free_port()
    table.play(5)
    program = (
        "import os, signal, sys\n"
        "from tilesight.club.hub.folding import Folding\n"
        "Folding.add = lambda self, games: games and os.kill(os.getpid(), signal.SIGKILL)\n"
        "from tilesight.app import main\n"
        "main()\n"
    )
    words = ("hub", "--host", "127.0.0.1", "--port", str(port), "--folder", str(folder))
    dying = subprocess.Popen(
        [sys.executable, "-c", program, *words, "--database", str(tmp_path / "hub.db")], cwd=ROOT
    )
    [invited] = Inviter(folder, f"http://127.0.0.1:{port}").invite(["hall-1"], Role.TABLE)
    link = LinkProcess(invited.url, table.path)
    assert dying.wait(60) == -9
    assert numbers(engine), "it committed before it died"
    with served_hub(folder, engine, port) as served:
        until(lambda: agrees(engine, table), 60)
        table.play(2)
        until(lambda: agrees(engine, table))
        assert served.hub.health().wrong == () and served.sockets["links_refused"] == 0
    # No hub: the log at the table keeps it. Two links at once: no entry comes twice.
    table.play(2)
    other = LinkProcess(invited.url, table.path)
    with served_hub(folder, engine, port) as served:
        until(lambda: agrees(engine, table), 60)
        table.end()
        table.close()
        link.finish()
        other.finish()
        until(lambda: numbers(engine) == list(range(1, table.entries + 1)))
        until(lambda: served.hub.tables()[0].phase == "over")
        final = dict(table.state.final().scores)
        assert {one.color: one.score for one in served.hub.tables()[0].players} == final


@pytest.mark.long
def test_a_game_that_ended_without_the_hub_is_sent_with_the_next_one(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    folder, port = tmp_path / "club", free_port()
    [invited] = Inviter(folder, f"http://127.0.0.1:{port}").invite(["hall-1"], Role.TABLE)
    first = Table(tmp_path / "first.table")
    link = LinkProcess(invited.url, first.path)
    first.play(3)
    first.end()
    first.close()
    [noted] = until(lambda: list((tmp_path / "home").rglob("leftovers/*.json")))
    link.finish()
    second = Table(tmp_path / "second.table", seed=4)
    with served_hub(folder, engine, port) as served:
        link = LinkProcess(invited.url, second.path)
        second.play(1)
        until(lambda: served.hub.health().counts["entries"] == first.entries + second.entries)
        assert served.hub.health().counts["games"] == 2
        until(lambda: not noted.exists())
        second.close()
        assert "entries of an earlier game sent" in link.finish()
    assert not list((tmp_path / "home").rglob("leftovers/*.json"))
