"""NATS servers for tests: a real one on free ports, and clients of it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import nats
from nats.aio.client import Client

from tilesight.club.credentials import Credential, KeyRing, Role
from tilesight.club.nats_server import NatsServer, ServerSettings
from tilesight.server.certificate import Certificate


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def serving(folder: Path, ring: KeyRing, certificate: Certificate | None = None) -> Iterator[NatsServer]:
    """A server of the club whose keys are in ``ring``."""
    settings = ServerSettings(
        folder, port=free_port(), monitor_port=free_port(), store_bytes=2**26, certificate=certificate
    )
    server = NatsServer(settings)
    server.start(ring.valid())
    try:
        yield server
    finally:
        server.stop()


@asynccontextmanager
async def client(server: NatsServer, seed: str, holder: Credential, **more: object) -> AsyncIterator[Client]:
    """A connection of one credential's holder; ``refused`` on it lists what the server refused."""
    refused: list[str] = []

    async def told(error: Exception) -> None:
        refused.append(str(error))

    options = {"allow_reconnect": False, "inbox_prefix": holder.inbox, "error_cb": told, **more}
    connection = await nats.connect(
        f"nats://127.0.0.1:{server.settings.port}",
        nkeys_seed_str=seed,
        **options,
    )
    connection.refused = refused  # type: ignore[attr-defined]
    try:
        yield connection
    finally:
        await connection.close()


async def refused(one: Client, wait_s: float = 5.0) -> list[str]:
    """What the server refused this client; cleared. The library tells it a moment after the answer."""
    await one.flush()
    until = time.monotonic() + wait_s
    while not one.refused and time.monotonic() < until:  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)
    told = [str(line) for line in one.refused]  # type: ignore[attr-defined]
    one.refused.clear()  # type: ignore[attr-defined]
    return told


def holder(ring: KeyRing, name: str, role: Role = Role.TABLE) -> tuple[str, Credential]:
    """A new credential's seed, and itself."""
    credential, seed = ring.create(name, role)
    return seed, credential


async def turned_away(server: NatsServer, **who: str) -> str:
    """The word with which the server refuses a connection; "" where it lets it in."""
    one = Client()
    word = ""

    async def told(error: Exception) -> None:
        nonlocal word
        word = word or str(error)

    try:
        await one.connect(
            f"nats://127.0.0.1:{server.settings.port}",
            allow_reconnect=False,
            error_cb=told,
            **who,  # type: ignore[arg-type]
        )
    except nats.errors.Error as error:
        return str(error) or word
    finally:
        # The library leaves the socket of a refused connection open.
        if one._transport is not None:
            one._transport.close()  # type: ignore[no-untyped-call]
        await one.close()
    return ""
