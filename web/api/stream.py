"""Event stream: a feed as server-sent events, missed ones first, with a heartbeat while nothing happens.

Sends a comment line after HEARTBEAT_S without an event.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Header, Query
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from web.api.served import ServedNow
from web.views.feed import Event, Feed

HEARTBEAT_S = 15.0
"""Seconds without an event after which a comment is sent."""
RETRY_MS = 1500
"""Milliseconds after which a client is asked to come back."""
QUEUE_LIMIT = 500
"""Number of unread events beyond which a phone is taken to be asleep; it is cut off, and comes back with
Last-Event-ID."""


def parse_last_event_id(text: str | None) -> int | None:
    """The number a returning client saw last; None where it gives none, or no number."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    return int(text)


class EventStream:
    """One phone that listens to a feed, from the moment it is made until `stop`. It belongs to the event loop
    in which it is made.

    With ``last_event_id`` every kept event after it comes first, once each. An id from the future means that
    the table was started again: then all kept events come.
    """

    def __init__(self, feed: Feed, last_event_id: int | None) -> None:
        self._feed = feed
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        if last_event_id is not None and last_event_id > feed.last_id:
            last_event_id = 0
        self._missed, self._stop = feed.listen(self._hand_over, after=last_event_id)

    def _hand_over(self, event: Event | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)

    def stop(self) -> None:
        """Listen no longer."""
        self._stop()

    async def stream(self, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
        """The stream as it is sent, until the feed closes or the phone has left too much unread. Each event
        is stamped with ``t_sent_s`` (seconds since 1970) as it leaves."""
        yield format_sse_event(retry=RETRY_MS)
        for event in self._missed:
            yield self._text(event)
        while self._queue.qsize() <= QUEUE_LIMIT:
            try:
                event_or_end = await asyncio.wait_for(self._queue.get(), heartbeat_s)
            except TimeoutError:
                yield KEEPALIVE_COMMENT
                continue
            if event_or_end is None:
                return
            yield self._text(event_or_end)

    def _text(self, event: Event) -> bytes:
        data = event.json_sent(self._feed.clock())
        return format_sse_event(id=str(event.id), event=event.type, data_str=data)


async def event_stream(
    served: ServedNow,
    last_event_id: Annotated[str | None, Header()] = None,
    last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
) -> AsyncIterator[EventStream]:
    """Stream of events of one request; it stops when the answer has ended, however that came."""
    # A browser that reconnects by itself sends the header beside the address it first asked.
    phone = EventStream(served.table.watch(), parse_last_event_id(last_event_id or last_event_id_query))
    try:
        yield phone
    finally:
        phone.stop()


EventStreamNow = Annotated[EventStream, Depends(event_stream)]
"""A route's parameter: the request's own stream of events."""
