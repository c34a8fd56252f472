"""Event fan-out: passes each event of a feed on to many clients, encoded once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from fastapi.sse import format_sse_event

from web.table.feed import Feed, FeedEvent


class Listener(Protocol):
    """A client of the feed."""

    def put(self, sent: tuple[int, bytes] | None) -> None:
        """Queue an event, as its id and bytes; None ends the stream. Called in the event loop."""


class EventFan:
    """The listeners of a feed in one event loop.

    Each event wakes the loop once and is encoded once for all listeners. `join` and `leave` must be called in
    the loop's thread.
    """

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._loop = asyncio.get_running_loop()
        self.listeners: set[Listener] = set()
        self._stop: Callable[[], None] | None = None

    def join(self, listener: Listener) -> None:
        """Pass every event from now on to ``listener``."""
        self.listeners.add(listener)
        if self._stop is None:
            _, self._stop = self.feed.listen(self._on_event)

    def leave(self, listener: Listener) -> None:
        """Stop passing events to ``listener``."""
        self.listeners.discard(listener)
        if not self.listeners and self._stop is not None:
            self._stop()
            self._stop = None

    def _on_event(self, event: FeedEvent | None) -> None:
        """Schedule the event in the loop. Called in the publishing thread."""
        # One call for all listeners: each call may switch threads, which delays the recogniser.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send, event)

    def _send(self, event: FeedEvent | None) -> None:
        """Encode an event and pass it to all listeners."""
        sent = None if event is None else (event.id, self.text(event))
        for listener in self.listeners:
            listener.put(sent)

    def text(self, event: FeedEvent) -> bytes:
        """Return an event as the bytes of a server-sent event.

        Its ``t_sent_s`` is the current time in seconds since 1970.
        """
        data = event.json_sent(self.feed.clock())
        return format_sse_event(id=str(event.id), event=event.type, data_str=data)


class EventFans:
    """The fan-outs of a feed, one per event loop that serves it."""

    def __init__(self) -> None:
        self._fans: dict[asyncio.AbstractEventLoop, EventFan] = {}

    def of_running_loop(self, feed: Feed) -> EventFan:
        """Return the fan-out of the running event loop, created if necessary."""
        return self._fans.setdefault(asyncio.get_running_loop(), EventFan(feed))

    @property
    def listeners(self) -> int:
        """Number of listeners in all loops."""
        return sum(len(fan.listeners) for fan in self._fans.values())
