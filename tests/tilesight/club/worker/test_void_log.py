"""A log with which another worker went on: the hub's stays whole, and the late link ends with an own code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import LinkProcess, Table, until
from tests.tilesight.club.worker.worker_parts import TABLE, Club, club_serving
from tilesight.club.credentials import Role
from tilesight.club.invitation import Invitation
from tilesight.club.link import VOID, WRONG
from tilesight.club.messages import LogEntry
from tilesight.club.worker.restore import restored
from tilesight.table_log.event_store import TableStore


def two_logs(club: Club, invited: Invitation, folder: Path) -> tuple[Path, list[LogEntry]]:
    """A log of two workers, of which the one that is late has an entry of its own; what the hub has."""
    table = Table(folder / "one.table")
    table.play(2)
    table.close()
    with TableStore(table.path) as store:
        told = [LogEntry.of(entry) for entry in store.entries()]
        late = restored(folder / "late", TABLE, told, "PHONEKEY")
        store.append("seat", {"color": "red", "name": "Zoë"})
    with TableStore(late) as store:
        store.append("seat", {"color": "red", "name": "Anna"})
        store.append("seat", {"color": "blue", "name": "Bob"})
    first = LinkProcess(invited.url, table.path)
    until(lambda: len(club.log()) == table.entries + 1)
    first.finish()
    return late, [LogEntry.of(entry) for entry in club.log()]


def ended(link: LinkProcess) -> tuple[int, str]:
    """Exit code of a link that ends by itself, and what it said."""
    try:
        code = link._process.wait(30)
    finally:
        link._process.kill()
        _, said = link._process.communicate()
    return code, said


@pytest.mark.parametrize(("is_lent", "code"), [(True, VOID), (False, WRONG)])
def test_the_late_log_is_not_sent_and_the_hubs_stays_as_it_is(
    tmp_path: Path, is_lent: bool, code: int
) -> None:
    with club_serving(tmp_path) as club:
        invited = club.served.invite(TABLE)
        late, told = two_logs(club, invited, tmp_path)
        if is_lent:  # as a worker's table names itself, so that its process ends, too
            invited = replace(invited, role=Role.WORKER, name="w1", sees_for=TABLE)
        done, said = ended(LinkProcess(invited.url, late))
        assert done == code and f"another entry {len(told)} of this game" in said, said
        assert [LogEntry.of(entry) for entry in club.log()] == told
        again = restored(late.parent, TABLE, told, "PHONEKEY")
        assert again != late and list(late.parent.glob("*.void.table"))
