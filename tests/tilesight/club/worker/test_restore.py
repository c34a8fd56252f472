"""A log restored from the stream: the same game at another worker, and what has gone apart put aside."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

import nats
from nats.js.client import JetStreamContext

from tests.tilesight.club.club_parts import ACCESS, Nats, Table, nats_server
from tilesight.club.connection import ensure_stream
from tilesight.club.messages import LogEntry, PhoneTable
from tilesight.club.subjects import log_id, log_subject
from tilesight.club.worker.restore import RestoreError, latest_game, restored
from tilesight.table_log.event_fold import access_of
from tilesight.table_log.event_store import Entry, TableStore

OF = PhoneTable(game="safari", players="red=Ana,blue=Bo", key="PHONEKEY")


@pytest.fixture
def told(tmp_path: Path) -> list[LogEntry]:
    """A game of three turns as the stream has it."""
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
    path = restored(tmp_path / "mine", "t-1", told, OF)
    assert messages_of(path) == told
    entries = entries_of(path)
    assert log_id(entries[0]) == log_id(told[0].entry())
    access = access_of(entries)
    assert access is not None and access.player == "PHONEKEY" and access.host != ACCESS.host


def test_a_game_that_has_not_begun_gets_a_file_of_its_own(tmp_path: Path, told: list[LogEntry]) -> None:
    restored(tmp_path, "t-1", told, OF)
    path = restored(tmp_path, "t-1", [], OF)
    assert not path.exists() and path.name.startswith("t-1-")


def test_the_own_file_goes_on_with_its_pictures(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told[:3], OF)
    with TableStore(path) as store:
        entry = told[3]
        store.append(entry.kind, entry.data, {"after": b"jpeg"}, at_s=entry.at_s)
    # The stream has less: the rest is sent by this table's link. It has more: another went on.
    assert restored(tmp_path, "t-1", told[:3], OF) == path and messages_of(path) == told[:4]
    assert restored(tmp_path, "t-1", told, OF) == path and messages_of(path) == told
    with TableStore(path) as store:
        assert store.picture(4, "after") == b"jpeg"


def test_a_file_that_has_gone_apart_is_put_aside(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told[:3], OF)
    with TableStore(path) as store:
        store.append("seat", {"color": "red", "name": "Nobody"})
    again = restored(tmp_path, "t-1", told, OF)
    assert again != path and messages_of(again) == told and not path.exists()
    [aside] = tmp_path.glob("*.void.table")
    assert messages_of(aside)[:3] == told[:3] and len(messages_of(aside)) == 4
    assert restored(tmp_path, "t-1", told, OF) == again


def test_a_file_that_a_stopped_process_has_open_is_left_alone(tmp_path: Path, told: list[LogEntry]) -> None:
    path = restored(tmp_path, "t-1", told, OF)
    with TableStore(path):
        other = restored(tmp_path, "t-1", told, OF)
    assert other != path and path.exists() and messages_of(other) == told


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Nats]:
    with nats_server(tmp_path / "nats") as running:
        yield running


async def published(stream: JetStreamContext, game: str, told: list[LogEntry]) -> None:
    for entry in told:
        await stream.publish(log_subject("t-1", game), entry.encoded())


def test_the_latest_game_is_read_whole_and_an_earlier_tables_is_not(
    server: Nats, told: list[LogEntry]
) -> None:
    first = [LogEntry(number=1, kind="table", at_s=1.0, data={})]

    async def main() -> None:
        client = await nats.connect(server.url)
        stream = client.jetstream()
        await ensure_stream(stream)
        assert await latest_game(stream, "t-1", 0.0) == ()
        await published(stream, "g1", first)
        await stream.publish(log_subject("t-2", "g9"), first[0].encoded())
        await published(stream, "g2", told)
        assert await latest_game(stream, "t-1", 0.0) == tuple(told)
        begun = (await stream.get_last_msg("TABLES", log_subject("t-1", "g1"), direct=True)).time
        assert begun is not None
        assert await latest_game(stream, "t-1", begun.timestamp() - 1) == tuple(told)
        assert await latest_game(stream, "t-1", begun.timestamp() + 60) == ()
        await published(stream, "g4", [LogEntry.forgotten()])
        assert await latest_game(stream, "t-1", 0.0) == ()
        await published(stream, "g3", told[1:])
        with pytest.raises(RestoreError, match="entry 1 of its game is missing"):
            await latest_game(stream, "t-1", 0.0)
        await client.close()

    asyncio.run(asyncio.wait_for(main(), 30))
