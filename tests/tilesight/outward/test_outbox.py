"""Events that wait for a webhook survive a restart and a crash, in order and with the same ids."""

from __future__ import annotations

import io
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from tests.tilesight.outward.receiver import SECRET, Got, Receiver, sent_to
from tests.tilesight.outward.test_outward import until
from tests.web.fake_table import FakeTable
from tilesight.outward import mailbox
from tilesight.outward.outbox import Letter, Outbox
from tilesight.outward.outward import TableOutward
from web.limits.keys import KeyGuard
from web.table.access import Access, Webhook
from web.table.feed import FeedEvent

ROOT = Path(__file__).resolve().parents[3]
HOOK = "0123456789ab"
CRASH = """
import os, sys, time
from pathlib import Path
from tests.tilesight.outward.test_outbox import outward_at
from tests.web.fake_table import FakeTable

table = FakeTable()
outward = outward_at(table, int(sys.argv[1]), Path(sys.argv[2]))
outward.__enter__()
for paused in (True, False, True):
    table.watch().publish("pause", {"paused": paused})
while outward.webhooks()[0].waiting < 3:
    time.sleep(0.01)
os._exit(9)
"""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(mailbox, "LONGEST_WAIT_S", 0.05)


@pytest.fixture
def port() -> int:
    """A port at which nothing answers."""
    receiver = Receiver()
    receiver.stop()
    return receiver.port


def outward_at(table: FakeTable, port: int, path: Path, hook: str = HOOK) -> TableOutward:
    """The webhooks of a table, whose log has this one already."""
    url = f"http://127.0.0.1:{port}/"
    guard = KeyGuard(Access(webhooks=(Webhook(hook, url, SECRET),)))
    return TableOutward(table, guard, sent_to(url), Console(file=io.StringIO()), path)


def waiting(path: Path, hook: str = HOOK) -> list[Letter]:
    """The events in a file."""
    with closing(Outbox(path)) as outbox:
        return outbox.waiting(hook)


def arrived(port: int, path: Path, number: int) -> list[Got]:
    """The first ``number`` requests that come once the table runs again and the receiver answers."""
    receiver = Receiver(port)
    try:
        with outward_at(FakeTable(), port, path) as outward:
            got = receiver.wait_for(lambda got: len(got) >= number)
            until(outward, lambda state: state.waiting == 0)
    finally:
        receiver.stop()
    return got


def test_events_that_wait_at_a_restart_are_sent_afterwards(tmp_path: Path, port: int) -> None:
    path, table = tmp_path / "a.table-outbox", FakeTable()
    with outward_at(table, port, path) as outward:
        for paused in (True, False):
            table.watch().publish("pause", {"paused": paused})
        until(outward, lambda state: state.problem == "unreachable" and state.waiting == 2)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = waiting(path)
    got = arrived(port, path, 2)
    assert [one.headers["webhook-id"] for one in got] == [letter.id for letter in kept]
    assert [one.event["paused"] for one in got] == [True, False]
    assert list(tmp_path.iterdir()) == []  # nothing waits any more


def test_events_that_wait_at_a_crash_are_sent_afterwards(tmp_path: Path, port: int) -> None:
    path = tmp_path / "a.table-outbox"
    died = subprocess.run([sys.executable, "-c", CRASH, str(port), str(path)], cwd=ROOT, check=False)
    assert died.returncode == 9
    assert [one.event["paused"] for one in arrived(port, path, 3)] == [True, False, True]


def test_events_of_a_webhook_that_was_removed_are_not_kept(tmp_path: Path, port: int) -> None:
    path, table = tmp_path / "a.table-outbox", FakeTable()
    with outward_at(table, port, path) as outward:
        table.watch().publish("pause", {"paused": True})
        until(outward, lambda state: state.waiting == 1)
        outward.remove(HOOK)
    assert list(tmp_path.iterdir()) == []


def test_a_dropped_event_leaves_the_file_too(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "QUEUE_LIMIT", 2)
    path, table = tmp_path / "a.table-outbox", FakeTable()
    with outward_at(table, port, path) as outward:
        for _ in range(4):
            table.watch().publish("pause", {"paused": True})
        until(outward, lambda state: state.dropped == 2)
    assert [letter.event.id for letter in waiting(path)] == [3, 4]


def letter(number: int) -> Letter:
    body = f'{{"id":{number},"type":"pause","frame":null,"t_frame_s":null,"paused":true}}'
    return Letter(f"run-{number}", FeedEvent(number, "pause", None, body))


def test_a_file_that_is_locked_keeps_its_events(tmp_path: Path) -> None:
    path = tmp_path / "a.table-outbox"
    with closing(Outbox(path)) as outbox:
        added = outbox.add(HOOK, letter(1))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert waiting(path) == []
    assert waiting(path) == [added]


def test_a_damaged_file_is_replaced_and_a_place_without_one_is_survived(tmp_path: Path) -> None:
    path = tmp_path / "a.table-outbox"
    path.write_bytes(b"no database" * 500)
    with closing(Outbox(path)) as outbox:
        added = outbox.add(HOOK, letter(1))
        assert outbox.waiting(HOOK) == [added]
        outbox.remove(added)
    with closing(Outbox(tmp_path / "no folder" / "x")) as outbox:
        assert outbox.add(HOOK, letter(1)) == letter(1)
        assert outbox.waiting(HOOK) == []
