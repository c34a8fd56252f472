"""Forgetting of games and people at the hub, on both databases, also where a table sends them again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from typer.testing import CliRunner

from tests.club.postgres import postgres_serving, program
from tests.tilesight.club.club_parts import LinkProcess, Table, until
from tests.tilesight.club.socket_hubs import served_hub
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Base, Forgotten
from tilesight.club.forget_command import club_app
from tilesight.club.hub.forgetting import Forgetting
from tilesight.club.hub.records import Records
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.messages import LogEntry


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


def kept(engine: Engine) -> str:
    """Everything that the database has."""
    with Session(engine) as session:
        return str([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])


def test_a_person_is_forgotten_also_where_the_table_sends_the_game_again(
    engine: Engine, url: str, tmp_path: Path
) -> None:
    table = Table(tmp_path / "a.table")
    table.play(3)
    with served_hub(tmp_path / "club", engine) as served:
        hub, invited = served.hub, served.invite("hall-1").url
        link = LinkProcess(invited, table.path)
        tournaments = Tournaments(engine, hub.tables)
        number = tournaments.begin("Cup", 1, 2, "swiss", None)
        tournaments.enter(number, ["Ana", "Zoe"])
        until(lambda: [one.turns for one in hub.tables()] == [3])
        said = CliRunner().invoke(club_app, ["forget", "--person", "Ana", "--yes", "--database", url])
        assert said.exit_code == 0 and "1 games removed, and a name from 1 tournaments" in said.output
        until(lambda: not hub.tables()[0].players)
        assert [one["name"] for one in tournaments.tournament(number)["entrants"]] == ["(2)", "Zoe"]
        table.play(1)  # the link goes on
        link.finish()
        LinkProcess(invited, table.path).finish()  # and asks anew how far it came
        assert "Ana" not in kept(engine) and not hub.tables()[0].players
    table.close()


def test_games_are_kept_for_so_many_days_by_the_hubs_own_clock(engine: Engine, tmp_path: Path) -> None:
    records, forgetting = Records(engine), Forgetting(engine)
    entry = LogEntry(number=1, kind="opened", at_s=1.0, data={"names": {"red": "Ana"}})  # a clock never set
    records.store("a", "g", [entry])
    Tournaments(engine, tuple).begin("Cup", 1, 2, "swiss", None)
    assert forgetting.forget_before(time.time() - 60) == 0
    assert forgetting.forget_before(time.time() + 60) == 1
    assert not Tournaments(engine, tuple).tournaments() and "Ana" not in kept(engine)
    records.store("a", "g", [entry])
    assert not forgetting.games() and [one.table for one in forgetting.removed()] == ["a"]
    assert not forgetting.removed(), "it is told once"
    with Session(engine) as session:
        [row] = session.scalars(select(Forgotten))
        assert (row.table_id, row.log_id) == ("a", "g")


def test_a_missing_database_or_game_is_reported_in_one_line(tmp_path: Path) -> None:
    from tests.test_readme import accepted

    accepted(("club", "games", "--person", "Ana"))
    said = CliRunner().invoke(club_app, ["games", "--folder", str(tmp_path)])
    assert "there is no database" in str(said.exception)
    open_database(tmp_path / "hub.db").dispose()
    said = CliRunner().invoke(club_app, ["forget", "a/b", "--folder", str(tmp_path)])
    assert str(said.exception) == "there is no game a/b"
