"""A log with which another worker went on: the stream stays whole, and who is late ends with an own code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import LinkProcess, Table, until
from tests.tilesight.club.worker.worker_parts import OF, TABLE, Club, club_serving
from tilesight.club.credentials import Role
from tilesight.club.link import VOID, WRONG
from tilesight.club.messages import LogEntry
from tilesight.club.worker.restore import restored
from tilesight.table_log.event_store import TableStore


def two_logs(club: Club, folder: Path) -> tuple[Path, list[LogEntry]]:
    """A log of two workers, of which the one that is late has an entry of its own; what the stream has."""
    table = Table(folder / "one.table")
    table.play(2)
    table.close()
    with TableStore(table.path) as store:
        told = [LogEntry.of(entry) for entry in store.entries()]
        late = restored(folder / "late", TABLE, told, OF)
        store.append("seat", {"color": "red", "name": "Zoë"})
    with TableStore(late) as store:
        store.append("seat", {"color": "red", "name": "Anna"})
        store.append("seat", {"color": "blue", "name": "Bob"})
    first = LinkProcess(replace(club.invitation("w1"), sees_for=TABLE).url, table.path)
    until(lambda: len(club.log()) == table.entries + 1)
    first.finish()
    return late, [entry for _, entry in club.log()]


def ended(link: LinkProcess) -> tuple[int, str]:
    """Exit code of a link that ends by itself, and what it said."""
    try:
        code = link._process.wait(30)
    finally:
        link._process.kill()
        _, said = link._process.communicate()
    return code, said


def test_the_late_workers_table_is_void_and_the_stream_stays_as_it_is(tmp_path: Path) -> None:
    with club_serving(tmp_path) as club:
        late, told = two_logs(club, tmp_path)
        code, said = ended(LinkProcess(replace(club.invitation("w2"), sees_for=TABLE).url, late))
        assert code == VOID and f"another entry {len(told)} of this game" in said, said
        assert [entry for _, entry in club.log()] == told
        again = restored(late.parent, TABLE, told, OF)
        assert again != late and list(late.parent.glob("*.void.table"))
        going_on = LinkProcess(replace(club.invitation("w3"), sees_for=TABLE).url, again)
        with TableStore(again) as store:
            store.append("seat", {"color": "blue", "name": "Bob"})
        until(lambda: len(club.log()) == len(told) + 1)
        going_on.finish()


def test_a_table_of_its_own_plays_on_and_its_link_is_not_tried_again(tmp_path: Path) -> None:
    with club_serving(tmp_path) as club:
        late, told = two_logs(club, tmp_path)
        code, said = ended(LinkProcess(club.invitation(TABLE, Role.TABLE).url, late))
        assert code == WRONG and "another entry" in said
        assert [entry for _, entry in club.log()] == told
