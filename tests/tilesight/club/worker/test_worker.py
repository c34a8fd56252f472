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

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

from nats.aio.client import Client

from tests.tilesight.club.club_parts import until
from tests.tilesight.club.worker.worker_parts import OF, TABLE, Club, WorkerProcess, club_serving, runs
from tilesight.club.credentials import Role
from tilesight.club.messages import Command, LogEntry, Reply
from tilesight.club.subjects import table_subject
from tilesight.table_log.event_store import TableStore

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


def rename(club: Club, name: str) -> int:
    """Name red at the table, as a referee does at the hub; the status of the table's answer."""

    async def main(client: Client) -> int:
        told = Command(id=name, path="/api/seat", body={"color": "red", "name": name})
        answer = await client.request(table_subject(TABLE, "command"), told.encoded(), timeout=10)
        return Reply.model_validate_json(answer.data).status

    return club.ask(main)


def names(club: Club) -> list[str]:
    """Names that were given to red, as the stream has them; its entries are whole and of one game."""
    log = club.log()
    assert len({subject for subject, _ in log}) <= 1
    assert [entry.number for _, entry in log] == list(range(1, len(log) + 1))
    return [entry.data["name"] for _, entry in log if entry.kind == "seat"]


def spoken_for(club: Club, worker: str) -> None:
    """Wait until a worker's table speaks with the hub."""
    until(lambda: club.holder() == worker, 60)

    def answers() -> bool:
        try:
            return rename(club, worker) == 200
        except Exception:  # nobody answers yet, or an open table is still starting
            return False

    until(answers, 60)
    until(lambda: worker in names(club), 20)


@pytest.mark.long
def test_a_killed_workers_table_is_another_ones_and_a_closed_one_nobodys(club: Club, workers: Any) -> None:
    club.put(OF)
    one = workers("w1")
    spoken_for(club, "w1")
    family = one.below()
    two = workers("w2")
    one.signal(signal.SIGKILL)
    until(lambda: not any(runs(pid) for pid in family), 20)
    spoken_for(club, "w2")
    assert names(club) == ["w1", "w2"]
    club.put(OF.model_copy(update={"closed": True}))
    until(lambda: club.holder() is None, 30)
    until(lambda: f"Table {TABLE} given back." in two.said)
    assert f"Table {TABLE} taken, " in two.said
    two.signal(signal.SIGTERM)
    assert two.ended() == INTERRUPTED


@pytest.mark.long
def test_who_is_stopped_and_goes_on_late_changes_nothing(club: Club, workers: Any) -> None:
    club.put(OF)
    late = workers("late")
    spoken_for(club, "late")
    [file] = late.files
    [table] = [pid for pid in late.below() if _has_open(pid, file)]
    family = [late._process.pid, *late.below()]
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    other = workers("other")
    spoken_for(club, "other")
    # The table goes on before its worker does, and a word of people reaches both: one of them is in the log.
    for pid in family[1:]:
        os.kill(pid, signal.SIGCONT)
    until(lambda: rename(club, "both") == 200)
    until(lambda: not runs(table), 30)
    os.kill(family[0], signal.SIGCONT)
    until(lambda: "lost: another worker may take it" in late.said, 20)
    rename(club, "again")
    until(lambda: names(club) == ["late", "other", "both", "again"], 20)
    # It begins with the stream's truth, its own log aside.
    other.signal(signal.SIGTERM)
    assert other.ended() == INTERRUPTED
    spoken_for(club, "late")
    assert [path for path in late.files if ".void" in path.name] == [file.with_suffix(".void.table")]
    with TableStore(next(path for path in late.files if ".void" not in path.name), read_only=True) as store:
        until(lambda: list(map(LogEntry.of, store.entries())) == [entry for _, entry in club.log()], 20)


def _has_open(pid: int, file: Path) -> bool:
    try:
        opened = [one.readlink() for one in Path(f"/proc/{pid}/fd").iterdir()]
        return file in opened and b"table_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("hub", ["https://hub/join#nats=x", "nats://127.0.0.1:4222/w1"])
def test_what_is_no_workers_invitation_is_said_in_one_line(hub: str) -> None:
    _says(hub, "no invitation")


def test_a_tables_invitation_is_none_of_a_worker(club: Club) -> None:
    _says(club.invitation("hall-1", Role.TABLE).url, "the invitation of a table, not of a worker")


def test_a_revoked_worker_ends_and_says_why(club: Club, workers: Any) -> None:
    worker = workers("w1")
    until(lambda: "up to" in worker.said, 60)
    club.ring.revoke("w1", Role.WORKER)
    club.apply()
    assert worker.ended() == 2
    assert "refuses this invitation" in worker.said


def _says(hub: str, what: str) -> None:
    command = [sys.executable, "-m", "tilesight.app", "worker", "--hub", hub]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and what in run.stderr and len(run.stderr.splitlines()) == 1, run.stderr
