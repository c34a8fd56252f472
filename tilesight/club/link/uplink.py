"""Uplink of a table to its hub, as its link uses it: a WebSocket, or NATS for tables that workers run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from tilesight.club.link.log_reader import LogReader
from tilesight.club.messages import Reply, Status

Run = Callable[[bytes], Awaitable[Reply]]
"""Executes a command (`messages.Command` as JSON) and returns the table's reply."""


class LogPublisher(Protocol):
    """Publishes one log, every entry once and in order."""

    sent: int

    async def publish_new(self) -> int:
        """Publish the entries that the hub lacks, and return their number.

        Raises OSError, TimeoutError or an error of the transport if the hub does not answer, and StoreError
        if the log cannot be read; both can be retried. Raises DivergedError if the hub has other entries.
        """
        ...


class Uplink(Protocol):
    """A connection that reconnects for ever. `status` and `preview` raise as `LogPublisher` does."""

    @property
    def is_connected(self) -> bool:
        """Whether the hub is reached now."""
        ...

    @property
    def is_closed(self) -> bool:
        """Whether the connection has ended for good, so that a new link is needed."""
        ...

    async def connect(
        self, ended: asyncio.Event, away: Callable[[], None], refused: Callable[[], Awaitable[None]]
    ) -> bool:
        """Connect, retrying until it succeeds; return False if ``ended`` is set first.

        ``away`` is called once if it takes long, ``refused`` each time the hub rejects our key.
        """
        ...

    def publisher(self, log: LogReader) -> LogPublisher:
        """Return the publisher of a log."""
        ...

    async def execute(self, run: Run) -> None:
        """Execute commands of the hub from now on."""
        ...

    async def status(self, status: Status) -> None:
        """Send the table's status."""
        ...

    async def preview(self, jpeg: bytes) -> None:
        """Send a small picture."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...
