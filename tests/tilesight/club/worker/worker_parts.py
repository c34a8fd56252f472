"""Parts of a club with workers, for tests: a hub with a phone's table, workers as processes, a phone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from tests.tilesight.club.socket_hubs import ServedHub, served_hub
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.records import Records
from tilesight.sessions.samples import sample_folder
from tilesight.table_log.event_store import Entry
from web.club.phone_tables import NewPhoneTable

TABLE = "t-1"
ASKED = NewPhoneTable(TABLE, "safari", (("red", "Ana"), ("blue", "Bo")))


class Club:
    """A served hub with its phone tables."""

    def __init__(self, folder: Path, engine: Engine, served: ServedHub, phones: PhoneTables) -> None:
        self.folder = folder
        self.engine = engine
        self.served = served
        self.phones = phones

    def holder(self) -> str | None:
        """Name of the worker that has the table."""
        return self.served.hub.sockets.assignments.worker_of(TABLE)

    def log(self) -> list[Entry]:
        """All that the hub has of the table: one game, in order, each entry once."""
        with Session(self.engine) as session:
            games = list(session.scalars(select(Game).where(Game.table_id == TABLE)))
            numbers = list(session.scalars(select(LoggedEntry.number).order_by(LoggedEntry.number)))
        assert len(games) <= 1 and numbers == list(range(1, len(numbers) + 1))
        return Records(self.engine).entries(games[0].id) if games else []

    def names(self) -> list[str]:
        """Names that were given to red, as the hub has them."""
        return [entry.data["name"] for entry in self.log() if entry.kind == "seat"]

    def rename(self, name: str) -> int:
        """Name red at the table, as a referee does at the hub; the status of the table's answer."""
        return self.served.hub.command(TABLE, "/api/seat", {"color": "red", "name": name}).status

    @contextlib.contextmanager
    def phone(self) -> Iterator[None]:
        """A phone that sends a picture twice a second."""
        jpeg = (sample_folder("first-light") / "frames" / "0000.jpg").read_bytes()
        stop = threading.Event()

        def send() -> None:
            while not stop.wait(0.5):
                self.phones.push_picture(TABLE, jpeg)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(10)


@contextlib.contextmanager
def club_serving(folder: Path, port: int | None = None) -> Iterator[Club]:
    """A hub that is stopped at the end; it has the tables and keys of an earlier one in this folder."""
    engine = open_database(folder / "hub.db")
    phones = PhoneTables(engine)
    with served_hub(folder / "club", engine, port, phones) as served:
        yield Club(folder, engine, served, phones)
    engine.dispose()


class WorkerProcess:
    """`tilesight worker` with a home of its own."""

    def __init__(self, club: Club, name: str, *more: str) -> None:
        self.home = club.folder / name
        self.log = club.folder / f"{name}.log"
        url = club.served.invite(name, Role.WORKER).url
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tilesight.app", "worker", "--hub", url, *more],
                stdout=log,
                stderr=log,
                env={**os.environ, "TILESIGHT_HOME": str(self.home)},
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def said(self) -> str:
        return self.log.read_text("utf-8")

    @property
    def files(self) -> list[Path]:
        return sorted((self.home / "club" / "worker").glob("*.table"))

    def below(self) -> list[int]:
        """The processes that it started, and theirs."""
        return list(_below(self._process.pid))

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def ended(self) -> int:
        return self._process.wait(60)

    def close(self) -> None:
        for pid in (*self.below(), self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


def _below(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, path.read_text().split()):
                yield child
                yield from _below(child)


def runs(pid: int) -> bool:
    """Whether a process has not ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    return False
