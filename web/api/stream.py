"""Event stream: a table's events as server-sent events, with missed ones first and a regular heartbeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Header, Query, Request
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from web.api.served import ServedDep
from web.limits.keys import note_key
from web.views.event_fan import EventFan

HEARTBEAT_S = 15.0
"""Seconds without an event after which a comment line is sent."""
RETRY_MS = 1500
"""Milliseconds after which a disconnected client should reconnect."""
QUEUE_LIMIT = 500
"""Number of unread events after which a client is disconnected. It reconnects with ``Last-Event-ID``."""


def parse_last_event_id(text: str | None) -> int | None:
    """Return the event id as a number.

    None if ``text`` is missing or not a plain number of at most 15 digits.
    """
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    return int(text)


class EventStream:
    """One client's stream of a feed's events.

    It receives events from its creation until `stop`, in the event loop in which it was created.

    With ``last_event_id``, all kept events after it are sent first. An id above the feed's last one means
    that the table has restarted; all kept events are then sent.
    """

    def __init__(self, fan: EventFan, last_event_id: int | None) -> None:
        self._fan = fan
        self._queue: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue()
        feed = fan.feed
        known = feed.last_id
        fan.join(self)  # before reading the missed events, so that none is lost in between
        if last_event_id is not None:
            known = last_event_id if last_event_id <= feed.last_id else 0
        self._missed = () if last_event_id is None else feed.since(known)
        self._known = self._missed[-1].id if self._missed else known
        if feed.closed:
            self._queue.put_nowait(None)

    def put(self, sent: tuple[int, bytes] | None) -> None:
        """Queue one event, as its id and bytes; None ends the stream.

        Events that were already sent as missed are skipped.
        """
        if sent is None or sent[0] > self._known:
            self._queue.put_nowait(sent)

    def stop(self) -> None:
        """Stop receiving events."""
        self._fan.leave(self)

    async def stream(self, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
        """Yield the bytes to send until the feed closes or more than `QUEUE_LIMIT` events are unread.

        Queued events are sent together; after ``heartbeat_s`` seconds without an event a comment is
        sent.
        """
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
    request: Request,
    served: ServedDep,
    x_table_key: Annotated[str | None, Header(max_length=200)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
    last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
) -> AsyncIterator[EventStream]:
    """FastAPI dependency: yield the request's stream of events, and stop it after the response.

    With a right key, the server keeps a place for the stream. With a wrong key, the stream counts as a
    guest's.
    """
    if x_table_key and served.guard.knows(x_table_key):
        note_key(request.scope)
    # A browser that reconnects sends the header together with the original address.
    number = parse_last_event_id(last_event_id or last_event_id_query)
    stream = EventStream(served.fans.of_running_loop(served.table.watch()), number)
    try:
        yield stream
    finally:
        stream.stop()


EventStreamDep = Annotated[EventStream, Depends(event_stream)]
"""Route parameter: the request's stream of events."""
