"""Intake of the hub: stores the stream of all logs in the database before acknowledging it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError
from sqlalchemy.exc import SQLAlchemyError

from tilesight.club.connection import ensure_stream
from tilesight.club.hub.records import Published, Records
from tilesight.club.subjects import CONSUMER, LOGS, STREAM

log = logging.getLogger("tilesight.club.intake")

AT_ONCE = 200
"""Entries of one transaction at most."""
WAIT_S = 5.0
"""Seconds for which the next entries are waited for."""
RETRY_S = 1.0
"""Seconds after which a stream or database that did not answer is asked again."""
Committed = Callable[[set[int]], None]
"""Hears which games have more entries, after the commit and before the acknowledgement."""


class Intake:
    """Consumes the stream from the last position. Redelivered messages change nothing."""

    def __init__(self, stream: JetStreamContext, records: Records, committed: Committed) -> None:
        self._stream = stream
        self._records = records
        self._committed = committed
        self._made = ""
        self.works = False
        """Whether the stream and the database answered last time."""

    async def run(self) -> None:
        """Consume entries until cancelled."""
        while True:
            try:
                await ensure_stream(self._stream)
                config = _consumer(await self._begin())
                pulled = await self._stream.pull_subscribe(LOGS, CONSUMER, STREAM, config)
                try:
                    while True:
                        await self._take(await _fetched(pulled))
                finally:
                    await pulled.unsubscribe()
            except (NatsError, OSError, TimeoutError, SQLAlchemyError) as error:
                self.works = False
                log.info("nothing is taken in: %s", str(error).splitlines()[0] if str(error) else type(error))
                await asyncio.sleep(RETRY_S)

    async def _begin(self) -> int:
        """Record the stream's creation time, and return the sequence up to which the database holds the
        stream. Delete the consumer if it has acknowledged more than that, as after a backup was restored."""
        self._made = str((await self._stream.stream_info(STREAM)).created)
        place = await asyncio.to_thread(self._records.place, self._made)
        with contextlib.suppress(NotFoundError):
            read = (await self._stream.consumer_info(STREAM, CONSUMER)).ack_floor
            if read is not None and read.stream_seq > place:
                log.warning(
                    "the database is behind the stream, which is read again from message %d", place + 1
                )
                await self._stream.delete_consumer(STREAM, CONSUMER)
        return place

    async def _take(self, messages: list[Msg]) -> None:
        """Store messages and acknowledge them."""
        self.works = True
        if not messages:
            return
        published = [Published(one.subject, one.metadata.sequence.stream, one.data) for one in messages]
        self._committed(await self._kept(published))
        for message in messages:
            await message.ack()

    async def _kept(self, published: list[Published]) -> set[int]:
        """Return the games that have more entries, retrying until the database accepts them."""
        while True:
            try:
                return await asyncio.to_thread(self._records.take, published, self._made)
            except SQLAlchemyError as error:
                self.works = False
                log.warning("the database takes nothing (%s)", type(error).__name__)
                await asyncio.sleep(RETRY_S)


def _consumer(place: int) -> ConsumerConfig:
    """Return the configuration of the durable consumer, which starts after the message with sequence
    ``place`` if it is created. A message that is not acknowledged is delivered again."""
    start: dict[str, Any] = {"deliver_policy": DeliverPolicy.ALL}
    if place:
        start = {"deliver_policy": DeliverPolicy.BY_START_SEQUENCE, "opt_start_seq": place + 1}
    return ConsumerConfig(ack_policy=AckPolicy.EXPLICIT, ack_wait=15.0, max_ack_pending=4 * AT_ONCE, **start)


async def _fetched(pulled: JetStreamContext.PullSubscription) -> list[Msg]:
    """Return the next messages; none after a timeout."""
    try:
        messages: list[Msg] = await pulled.fetch(AT_ONCE, timeout=WAIT_S)
    except NatsTimeout:
        return []
    return messages
