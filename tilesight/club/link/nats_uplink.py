"""Uplink through NATS, for a table that a worker runs and for a NATS server without keys."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from nats.aio.client import Client
from nats.aio.msg import Msg

from tilesight.club.connection import Address, reached_before
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import ANSWER_S, AWAY, Publisher
from tilesight.club.link.uplink import Run
from tilesight.club.messages import Status
from tilesight.club.subjects import table_subject


class NatsUplink:
    """Uplink of table ``table`` (`uplink.Uplink`)."""

    def __init__(self, address: Callable[[], Awaitable[Address]], table: str) -> None:
        self._address = address
        self._table = table
        self._client: Client | None = None

    @property
    def _there(self) -> Client:
        if self._client is None:
            raise ConnectionError("not connected yet")
        return self._client

    @property
    def is_connected(self) -> bool:
        """Whether the server is reached now."""
        return self._client is not None and self._client.is_connected

    @property
    def is_closed(self) -> bool:
        """Whether the server closed the connection for good, as it does when a key is revoked."""
        return self._client is not None and self._client.is_closed

    async def connect(
        self, ended: asyncio.Event, away: Callable[[], None], refused: Callable[[], Awaitable[None]]
    ) -> bool:
        """Connect, retrying until it succeeds; return False if ``ended`` is set first."""
        name = f"table {self._table}"
        self._client = await reached_before(ended, self._address, name, away, patient=True, refused=refused)
        return self._client is not None

    def publisher(self, log: LogReader) -> Publisher:
        """Return the publisher of a log to the stream."""
        return Publisher(self._there.jetstream(timeout=ANSWER_S), self._table, log)

    async def execute(self, run: Run) -> None:
        """Execute commands from now on."""

        async def respond(message: Msg) -> None:
            reply = await run(message.data)
            with contextlib.suppress(*AWAY):
                await message.respond(reply.encoded())

        await self._there.subscribe(table_subject(self._table, "command"), cb=respond)

    async def status(self, status: Status) -> None:
        """Publish the table's status."""
        await self._there.publish(table_subject(self._table, "status"), status.encoded())

    async def preview(self, jpeg: bytes) -> None:
        """Publish a small picture."""
        await self._there.publish(table_subject(self._table, "preview"), jpeg)

    async def close(self) -> None:
        """Disconnect."""
        if self._client is not None:
            with contextlib.suppress(*AWAY):
                await asyncio.wait_for(self._client.close(), 2)
