"""A log restored from the hub's entries: the same game at another worker, and what diverged put aside."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import ACCESS, Table
from tilesight.club.log_ids import log_id
from tilesight.club.messages import LogEntry
from tilesight.club.worker.restore import restored
from tilesight.table_log.event_fold import access_of, labels_kept
from tilesight.table_log.event_store import Entry, TableStore

KEY = "PHONEKEY"


@pytest.fixture
def told(tmp_path: Path) -> list[LogEntry]:
    """A game of three turns as the hub has it."""
    table = Table(tmp_path / "theirs" / "a.table")
    table.play(3)
    table.close()
    return [LogEntry.of(entry) for entry in entries_of(table.path)]


def entries_of(path: Path) -> tuple[Entry, ...]:
    with TableStore(path, read_only=True) as store:
        return store.entries()


def messages_of(path: Path) -> list[LogEntry]:
    return [LogEntry.of(entry) for entry in entries_of(path)]


def test_a_restored_game_is_the_same_with_the_tables_own_key(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path / "mine", "t-1", told, KEY)
    assert messages_of(path) == told
    entries = entries_of(path)
    assert log_id(entries[0]) == log_id(told[0].entry())
    access = access_of(entries)
    assert access is not None and access.player == KEY and access.host != ACCESS.host


def test_consent_to_keep_labels_is_not_restored(tmp_path: Path, told: list[LogEntry]) -> None:
    consented = {**ACCESS.to_json(), "keep_labels": True}
    forged = [one.model_copy(update={"data": consented}) if one.kind == "key" else one for one in told]
    assert labels_kept([one.entry() for one in forged])
    assert not labels_kept(entries_of(restored(tmp_path / "mine", "t-1", forged, KEY)))


def test_a_game_that_has_not_begun_gets_a_file_of_its_own(tmp_path: Path, told: list[LogEntry]) -> None:
    restored(tmp_path, "t-1", told, KEY)
    path = restored(tmp_path, "t-1", [], KEY)
    assert not path.exists() and path.name.startswith("t-1-")


def test_the_own_file_goes_on_with_its_pictures(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told[:3], KEY)
    with TableStore(path) as store:
        entry = told[3]
        store.append(entry.kind, entry.data, {"after": b"jpeg"}, at_s=entry.at_s)
    # The hub has less: the rest is sent by this table's link. It has more: another went on.
    assert restored(tmp_path, "t-1", told[:3], KEY) == path and messages_of(path) == told[:4]
    assert restored(tmp_path, "t-1", told, KEY) == path and messages_of(path) == told
    with TableStore(path) as store:
        assert store.picture(4, "after") == b"jpeg"


def test_a_file_that_has_gone_apart_is_put_aside(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told[:3], KEY)
    with TableStore(path) as store:
        store.append("seat", {"color": "red", "name": "Nobody"})
    again = restored(tmp_path, "t-1", told, KEY)
    assert again != path and messages_of(again) == told and not path.exists()
    [aside] = tmp_path.glob("*.void.table")
    assert messages_of(aside)[:3] == told[:3] and len(messages_of(aside)) == 4
    assert restored(tmp_path, "t-1", told, KEY) == again


def test_a_file_that_a_stopped_process_has_open_is_left_alone(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told, KEY)
    with TableStore(path):
        other = restored(tmp_path, "t-1", told, KEY)
    assert other != path and path.exists() and messages_of(other) == told
