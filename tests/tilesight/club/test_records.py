"""Records of the hub: entries of thousands at once, and those that came before."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event

from tilesight.club.database.engine import open_database
from tilesight.club.hub.records import ROWS_AT_ONCE, Records
from tilesight.club.messages import LogEntry


def entries(numbers: range) -> list[LogEntry]:
    return [LogEntry(number=n, kind="observed", at_s=float(n), data={}) for n in numbers]


def test_thousands_of_entries_are_inserted_by_few_statements(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    records = Records(engine)
    statements: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *told: statements.append(told[2]))
    assert records.store("a", "g", entries(range(1, 3 * ROWS_AT_ONCE + 1)))
    assert len(statements) < 15
    [game] = records.current()
    assert (game.entries, len(records.entries(game.id))) == (1500, 1500)
    assert not records.store("a", "g", entries(range(1, 20)))  # they are there already
    assert records.store("a", "g", entries(range(1490, 1510))) == {game.id}
    assert [one.number for one in records.entries(game.id)] == list(range(1, 1510))
    engine.dispose()


@pytest.mark.parametrize("number", [1, 2])
def test_an_entry_twice_in_one_batch_is_kept_once(tmp_path: Path, number: int) -> None:
    engine = open_database(tmp_path / "hub.db")
    records = Records(engine)
    records.store("a", "g", entries(range(1, 4)) + entries(range(number, 3)))
    [game] = records.current()
    assert [one.number for one in records.entries(game.id)] == [1, 2, 3]
    engine.dispose()


def test_the_game_that_a_table_names_is_current_after_a_restart(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    records = Records(engine)
    for table, log in (("a", "now"), ("a", "late"), ("b", "other")):
        records.store(table, log, entries(range(1, 2)))
    assert [one.log_id for one in records.current()] == ["late", "other"]
    assert [one.log_id for one in records.keep_named("a", "now")] == ["now"]
    assert [one.log_id for one in Records(engine).current()] == ["now", "other"]
    assert records.named() == {"a": "now"}
    assert records.keep_named("a", "unknown") == []
    engine.dispose()
