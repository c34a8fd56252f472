"""Connection to NATS that survives outages: it reconnects for ever, at long intervals if it is refused."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.api import DiscardPolicy, KeyValueConfig, StorageType, StreamConfig
from nats.js.client import JetStreamContext
from nats.js.errors import BucketNotFoundError, NotFoundError

from tilesight.club.messages import ENTRY_BYTES
from tilesight.club.subjects import LEASES, LOGS, PHONE_TABLES, STREAM

log = logging.getLogger("tilesight.club.connection")

RETRY_S = 0.5
"""Seconds between two attempts to reach the server."""
REFUSED_S = 10.0
"""Seconds until the next attempt where the server refuses our key."""
REFUSED = "authorization violation"
"""Part of what the server says to a key that it does not know, or no longer."""
UNREACHED_S = 1.0
"""Seconds between two attempts to find the server."""
AWAY_AFTER_S = 5.0
"""Seconds without the server after which people are told."""
PING_S = 5
"""Seconds between two signs of life; a server that answers two of them not is left."""
DUPLICATES_S = 120.0
"""Seconds for which the stream knows a message again by its id."""
LEASE_S = 4.0
"""Seconds for which a lease that is not renewed keeps others from the table."""
BUCKETS = (
    KeyValueConfig(PHONE_TABLES, storage=StorageType.FILE, direct=True, max_value_size=4096),
    KeyValueConfig(LEASES, ttl=LEASE_S, storage=StorageType.MEMORY, direct=True, max_value_size=200),
)
"""Tables without a computer, and the workers that see for them."""
BUCKETS_S = 2.0
"""Seconds between two looks whether the buckets are there."""
T = TypeVar("T")
Notify = Callable[[], Awaitable[None]]
"""Hears that the connection is there, gone, or refused."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a NATS server.

    Its URLs, our nkey's seed (None if the server requires none), our inbox prefix, and the TLS context (or
    None).
    """

    servers: tuple[str, ...]
    seed: str | None = None
    inbox: str = "_INBOX"
    tls: ssl.SSLContext | None = None


async def _ignore() -> None:
    """Do nothing."""


def _is_false_alarm(record: logging.LogRecord) -> bool:
    """Whether a log record is a known false alarm.

    asyncio complains about its own stream when the server closes an encrypted connection: nats-py starts TLS
    on it, and the stream does not know.
    """
    return "eof_received() has no effect when using ssl" not in record.getMessage()


async def connected(
    address: Address,
    name: str,
    *,
    there: Notify = _ignore,
    gone: Notify = _ignore,
    refused: Notify = _ignore,
) -> Client:
    """Connect, retrying until it succeeds.

    ``there`` and ``gone`` are called at later outages, ``refused`` each time the server rejects our key.
    Messages published during an outage are lost.
    """

    async def failed(error: Exception) -> None:
        log.debug("%s: %s", name, error)
        if REFUSED in str(error).lower():
            await refused()
            await asyncio.sleep(REFUSED_S)  # the client waits for us before its next attempt

    logging.getLogger("asyncio").addFilter(_is_false_alarm)
    more: dict[str, Any] = {"reconnect_time_wait": RETRY_S}  # parts of a second are right, though typed int
    if address.seed is not None:
        more["nkeys_seed_str"] = address.seed
    if address.tls is not None:
        more["tls"] = address.tls
    client = Client()
    try:
        await client.connect(
            servers=list(address.servers),
            name=name,
            error_cb=failed,
            reconnected_cb=there,
            disconnected_cb=gone,
            max_reconnect_attempts=-1,
            connect_timeout=3,
            ping_interval=PING_S,
            max_outstanding_pings=2,
            allow_reconnect=True,
            pending_size=0,
            inbox_prefix=address.inbox,
            **more,
        )
    except BaseException:
        await client.close()  # given up before it came about, it would leave its socket open
        raise
    return client


async def reached_before(
    ended: asyncio.Event,
    address: Callable[[], Awaitable[Address]],
    name: str,
    away: Callable[[], None],
    *,
    patient: bool = False,
    **told: Notify,
) -> Client | None:
    """Connect to an address that may change (OSError while it is unknown), retrying until it answers; return
    None if ``ended`` is set first.

    ``away`` is called once if it takes long; a ``patient`` caller looks at ``ended`` only then. ``told`` are
    as in `connected`.
    """

    async def reached() -> Client:
        while True:
            try:
                return await connected(await address(), name, **told)
            except (OSError, TimeoutError):
                await asyncio.sleep(UNREACHED_S)

    return await before(ended, reached(), away, AWAY_AFTER_S, patient=patient)


async def before(
    ended: asyncio.Event,
    reaching: Coroutine[None, None, T],
    away: Callable[[], None],
    away_after_s: float,
    *,
    patient: bool,
) -> T | None:
    """Return the result of ``reaching``; None if ``ended`` is set first.

    ``away`` is called once if it takes longer than ``away_after_s``; a ``patient`` caller looks at ``ended``
    only then.
    """
    connecting, end = asyncio.create_task(reaching), asyncio.create_task(ended.wait())
    first: set[asyncio.Task[Any]] = {connecting} if patient else {connecting, end}
    done, _ = await asyncio.wait(first, timeout=away_after_s, return_when=asyncio.FIRST_COMPLETED)
    if not done:
        away()
        await asyncio.wait({connecting, end}, return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if connecting.done():
        return connecting.result()
    connecting.cancel()
    await asyncio.gather(connecting, return_exceptions=True)
    return None


async def ensure_stream(stream: JetStreamContext) -> None:
    """Create the stream of logs if it does not exist."""
    config = StreamConfig(
        name=STREAM,
        subjects=[LOGS],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,  # a full disk refuses; nothing that was told is dropped
        duplicate_window=DUPLICATES_S,
        max_msg_size=ENTRY_BYTES + 10_000,
        allow_direct=True,
    )
    try:
        await stream.stream_info(STREAM)
    except NotFoundError:
        await stream.add_stream(config)
    else:
        await stream.update_stream(config)


async def ensure_buckets(stream: JetStreamContext) -> None:
    """Create the key-value buckets if they do not exist."""
    for config in BUCKETS:
        try:
            await stream.key_value(config.bucket)
        except BucketNotFoundError:
            await stream.create_key_value(config)


async def keep_buckets(stream: JetStreamContext) -> None:
    """Create the buckets, and again whenever one is lost, until cancelled: leases exist only in the
    server's memory."""
    while True:
        with contextlib.suppress(NatsError, OSError, TimeoutError):
            await ensure_buckets(stream)
        await asyncio.sleep(BUCKETS_S)
