"""Workers as processes: a phone's table taken, played on after a kill and a pause, and given back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import free_port, until
from tests.tilesight.club.worker.worker_parts import ASKED, TABLE, Club, WorkerProcess, club_serving, runs
from tilesight.club.credentials import Role
from tilesight.club.messages import LogEntry
from tilesight.table_log.event_store import StoreError, TableStore
from web.table.refusal import Refusal

ROOT = Path(__file__).resolve().parents[4]
INTERRUPTED = 130


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with club_serving(tmp_path) as one:
        yield one


@pytest.fixture
def workers(club: Club) -> Iterator[Any]:
    with ExitStack() as stack:

        def start(name: str, *more: str) -> WorkerProcess:
            worker = WorkerProcess(club, name, *more)
            stack.callback(worker.close)
            return worker

        yield start


def spoken_for(club: Club, worker: str) -> None:
    """Wait until a worker's table speaks with the hub."""
    until(lambda: club.holder() == worker, 60)

    def answers() -> bool:
        try:
            return club.rename(worker) == 200
        except Refusal:  # no table answers yet
            return False

    until(answers, 60)
    until(lambda: worker in club.names(), 20)


@pytest.mark.long
def test_a_killed_workers_table_goes_to_another_and_a_closed_table_to_none(club: Club, workers: Any) -> None:
    club.phones.begin(ASKED)
    one = workers("w1")
    spoken_for(club, "w1")
    family = one.below()
    two = workers("w2")
    one.signal(signal.SIGKILL)
    until(lambda: not any(runs(pid) for pid in family), 20)
    spoken_for(club, "w2")
    assert club.names() == ["w1", "w2"]
    club.phones.end(TABLE)
    until(lambda: club.holder() is None, 30)
    until(lambda: f"Table {TABLE} given back." in two.said)
    assert f"Table {TABLE} taken, " in two.said
    two.signal(signal.SIGTERM)
    assert two.ended() == INTERRUPTED


@pytest.mark.long
def test_a_paused_worker_that_goes_on_late_changes_nothing(club: Club, workers: Any) -> None:
    club.phones.begin(ASKED)
    late = workers("late")
    spoken_for(club, "late")
    [file] = late.files
    family = [late.pid, *late.below()]
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    other = workers("other")
    spoken_for(club, "other")
    # Its table goes on before the worker itself does, and is refused.
    for pid in family[1:]:
        os.kill(pid, signal.SIGCONT)
    assert club.rename("both") == 200
    os.kill(family[0], signal.SIGCONT)
    until(lambda: "lost: another worker may take it" in late.said, 20)
    until(lambda: _said_there(file), 20)  # what people said there meanwhile never came to the hub
    assert club.rename("again") == 200
    until(lambda: club.names() == ["late", "other", "both", "again"], 20)
    # It begins with the hub's log, its own aside.
    other.signal(signal.SIGTERM)
    assert other.ended() == INTERRUPTED
    spoken_for(club, "late")
    assert [path for path in late.files if ".void" in path.name] == [file.with_suffix(".void.table")]
    with TableStore(next(path for path in late.files if ".void" not in path.name), read_only=True) as store:
        until(lambda: list(map(LogEntry.of, store.entries())) == list(map(LogEntry.of, club.log())), 20)


def _said_there(file: Path) -> bool:
    """Add an entry to a log, unless its table still runs."""
    try:
        with TableStore(file) as store:
            store.append("seat", {"color": "red", "name": "nobody"})
    except StoreError:
        return False
    return True


@pytest.mark.long
def test_a_table_goes_on_after_its_hub_was_away(tmp_path: Path) -> None:
    port = free_port()
    with club_serving(tmp_path, port) as club:
        club.phones.begin(ASKED)
        worker = WorkerProcess(club, "w1")
        try:
            spoken_for(club, "w1")
        except BaseException:
            worker.close()
            raise
    try:
        until(lambda: f"Table {TABLE} lost" in worker.said, 60)
        with club_serving(tmp_path, port) as club:
            spoken_for(club, "w1")
            assert club.rename("again") == 200
            until(lambda: club.names()[-1:] == ["again"], 20)  # in the same game, each entry once
            assert len(worker.files) == 1
    finally:
        worker.close()


@pytest.mark.parametrize("hub", ["https://hub/join#link=x", "nats://127.0.0.1:4222/w1"])
def test_an_invalid_worker_invitation_is_reported_in_one_line(hub: str) -> None:
    _says(hub, "no invitation")


def test_a_tables_invitation_is_none_of_a_worker(club: Club) -> None:
    _says(club.served.invite("hall-1").url, "the invitation of a table, not of a worker")


def test_a_revoked_worker_ends_and_says_why(club: Club, workers: Any) -> None:
    worker = workers("w1")
    until(lambda: "up to" in worker.said, 60)
    club.served.ring.revoke("w1", Role.WORKER)
    assert worker.ended() == 2
    assert "refuses this invitation" in worker.said


def _says(hub: str, what: str) -> None:
    command = [sys.executable, "-m", "tilesight.app", "worker", "--hub", hub]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and what in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
