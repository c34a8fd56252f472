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
from web.views.event_fan import EventFan

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

    def __init__(self, fan: EventFan, last_event_id: int | None) -> None:
        self._fan = fan
        self._queue: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue()
        feed = fan.feed
        known = feed.last_id
        fan.join(self)  # before the missed ones are asked for: none is lost between
        if last_event_id is not None:
            known = last_event_id if last_event_id <= feed.last_id else 0
        self._missed = () if last_event_id is None else feed.since(known)
        self._known = self._missed[-1].id if self._missed else known
        if feed.closed:
            self._queue.put_nowait(None)

    def put(self, sent: tuple[int, bytes] | None) -> None:
        """One more event, with its number; None at the end."""
        if sent is None or sent[0] > self._known:
            self._queue.put_nowait(sent)

    def stop(self) -> None:
        """Listen no longer."""
        self._fan.leave(self)

    async def stream(self, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
        """The stream as it is sent, until the feed closes or the phone has left too much unread. Events that
        wait go out together."""
        yield format_sse_event(retry=RETRY_MS)
        for event in self._missed:
            yield self._fan.text(event)
        self._missed = ()
        while self._queue.qsize() <= QUEUE_LIMIT:
            try:
                waiting = [await asyncio.wait_for(self._queue.get(), heartbeat_s)]
            except TimeoutError:
                yield KEEPALIVE_COMMENT
                continue
            while not self._queue.empty():
                waiting.append(self._queue.get_nowait())
            if texts := [sent[1] for sent in waiting if sent is not None]:
                yield b"".join(texts)
            if waiting[-1] is None:
                return


async def event_stream(
    served: ServedNow,
    last_event_id: Annotated[str | None, Header()] = None,
    last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
) -> AsyncIterator[EventStream]:
    """Stream of events of one request; it stops when the answer has ended, however that came."""
    # A browser that reconnects by itself sends the header beside the address it first asked.
    number = parse_last_event_id(last_event_id or last_event_id_query)
    phone = EventStream(served.fans.here(served.table.watch()), number)
    try:
        yield phone
    finally:
        phone.stop()


EventStreamNow = Annotated[EventStream, Depends(event_stream)]
"""A route's parameter: the request's own stream of events."""
