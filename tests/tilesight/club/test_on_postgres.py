"""The hub's records on PostgreSQL, which counts otherwise than SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from tests.club.postgres import postgres_serving, program
from tilesight.club.database.engine import open_database
from tilesight.club.hub.accounts import Accounts
from tilesight.club.hub.records import Records
from tilesight.club.messages import LogEntry
from web.table.refusal import Refusal


@pytest.fixture
def database() -> Iterator[Engine]:
    if program("postgres") is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres_serving() as url:
        engine = open_database(url)
        yield engine
        engine.dispose()


def entry(number: int) -> LogEntry:
    return LogEntry(number=number, kind="looked", at_s=1.0, data={"n": number})


def test_a_game_is_told_of_when_it_has_new_entries_and_only_then(database: Engine) -> None:
    records = Records(database)
    [game] = records.store("a", "g", [entry(1)])
    assert records.store("a", "g", [entry(2), entry(3)]) == {game}
    assert records.store("a", "g", [entry(2), entry(3)]) == set(), "they came again"
    assert [one.number for one in records.entries(game)] == [1, 2, 3]
    records.store("a", "late", [entry(1)])
    assert [one.log_id for one in records.current()] == ["late"]
    records.keep_named("a", "g")
    assert [one.id for one in records.current()] == [game]
    assert records.counts() == {"tables": 1, "games": 2, "entries": 4}


def test_accounts_and_acts_are_kept(database: Engine) -> None:
    accounts = Accounts(database, "secret")
    accounts.add("Ana", "referee", "correct horse")
    with pytest.raises(Refusal, match="already"):
        accounts.add("ana", "host", "correct horse")
    found = accounts.login("Ana", "correct horse")
    assert found is not None and accounts.account_of(found[1]) == found[0]
    accounts.note("Ana", "hall-1", "/api/undo")
    assert [(one.account, one.table, one.path) for one in accounts.acts()] == [("Ana", "hall-1", "/api/undo")]
    accounts.remove("Ana")
    assert accounts.account_of(found[1]) is None
