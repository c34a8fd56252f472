"""Parts of a club with workers, for tests: a server with keys, a hub, workers as processes, a phone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import nats
from nats.aio.client import Client
from nats.js.errors import NotFoundError

from tests.tilesight.club.nats_servers import serving
from tilesight.club.connection import Address, ensure_buckets, ensure_stream
from tilesight.club.credentials import KeyRing, Role, hub_seed
from tilesight.club.invitation import Invitation
from tilesight.club.messages import LogEntry, PhoneTable
from tilesight.club.subjects import LEASES, PHONE_TABLES, STREAM, log_subject, table_subject
from tilesight.sessions.samples import sample_folder

T = TypeVar("T")
TABLE = "t-1"
OF = PhoneTable(game="safari", players="red=Ana,blue=Bo", key="PHONEKEY")


@dataclass
class Club:
    """A server with keys, and the hub's own way to it."""

    folder: Path
    address: Address
    ring: KeyRing
    apply: Callable[[], None]
    port: int

    def ask(self, question: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        """What comes of a question to the server as the hub."""

        async def asked() -> T:
            client = await nats.connect(
                self.address.servers[0], nkeys_seed_str=self.address.seed, inbox_prefix="_INBOX.hub.test"
            )
            try:
                return await question(client)
            finally:
                await client.close()

        return asyncio.run(asyncio.wait_for(asked(), 30))

    def invitation(self, name: str, role: Role = Role.WORKER) -> Invitation:
        """A new holder's invitation."""
        _, seed = self.ring.create(name, role)
        self.apply()
        return Invitation("http://127.0.0.1:1", f"127.0.0.1:{self.port}", role, name, seed)

    def put(self, table: PhoneTable) -> None:
        """Keep the phone's table as the hub does."""

        async def main(client: Client) -> None:
            await (await client.jetstream().key_value(PHONE_TABLES)).put(TABLE, table.encoded())

        self.ask(main)

    def holder(self) -> str | None:
        """Name of the worker that has the table."""

        async def main(client: Client) -> str | None:
            with contextlib.suppress(NotFoundError):
                subject = f"$KV.{LEASES}.{TABLE}"
                last = await client.jetstream().get_last_msg(f"KV_{LEASES}", subject, direct=True)
                return (last.data or b"").decode().partition(" ")[0] or None
            return None

        return self.ask(main)

    def log(self) -> list[tuple[str, LogEntry]]:
        """Subject and entry of all that the stream has of the table."""

        async def main(client: Client) -> list[tuple[str, LogEntry]]:
            found: list[tuple[str, LogEntry]] = []
            number = 1
            with contextlib.suppress(NotFoundError):
                while True:
                    subject = log_subject(TABLE, "*")
                    one = await client.jetstream().get_msg(STREAM, number, subject, direct=True, next=True)
                    found.append((one.subject or "", LogEntry.model_validate_json(one.data or b"")))
                    number = (one.seq or 0) + 1
            return found

        return self.ask(main)

    def phone(self) -> Phone:
        """A phone that sends a picture twice a second while it is entered."""
        return Phone(self)


class Phone:
    """A phone whose pictures the hub passes on."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> Phone:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(10)

    def _send(self) -> None:
        jpeg = (sample_folder("first-light") / "frames" / "0000.jpg").read_bytes()

        async def main(client: Client) -> None:
            await client.publish(table_subject(TABLE, "frame"), jpeg)
            await client.flush()

        while not self._stop.wait(0.5):
            self._club.ask(main)


@contextlib.contextmanager
def club_serving(folder: Path) -> Iterator[Club]:
    """A club's server with its stream and buckets."""
    ring = KeyRing(folder / "keys.json")
    seed = hub_seed(folder, ring)
    with serving(folder / "nats", ring) as server:
        port = server.settings.port
        address = Address((f"nats://127.0.0.1:{port}",), seed, "_INBOX.hub.hub")
        club = Club(folder, address, ring, lambda: server.apply(ring.valid()), port)

        async def made(client: Client) -> None:
            await ensure_stream(client.jetstream())
            await ensure_buckets(client.jetstream())

        club.ask(made)
        yield club


class WorkerProcess:
    """`tilesight worker` with a home of its own."""

    def __init__(self, club: Club, name: str, *more: str) -> None:
        self.home = club.folder / name
        self.log = club.folder / f"{name}.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tilesight.app", "worker"),
                    *("--hub", club.invitation(name).url, *more),
                ],
                stdout=log,
                stderr=log,
                env={**os.environ, "TILESIGHT_HOME": str(self.home)},
            )

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
