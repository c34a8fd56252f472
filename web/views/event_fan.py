"""Event fan: one feed's events on their way to many phones, made bytes once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from fastapi.sse import format_sse_event

from web.table.feed import Event, Feed


class Listener(Protocol):
    """A phone that listens."""

    def put(self, sent: tuple[int, bytes] | None) -> None:
        """One more event, its number and its bytes; None at the end. Called in the event loop."""


class EventFan:
    """The phones of one event loop that listen to a feed: each event wakes the loop once and becomes bytes
    once, however many they are. ``phones`` are those that listen; the loop's thread alone joins and
    leaves."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self._loop = asyncio.get_running_loop()
        self.phones: set[Listener] = set()
        self._stop: Callable[[], None] | None = None

    def join(self, phone: Listener) -> None:
        """Pass every event from now on to ``phone``; some that it knows may be among them."""
        self.phones.add(phone)
        if self._stop is None:
            _, self._stop = self.feed.listen(self._hand_over)

    def leave(self, phone: Listener) -> None:
        """Pass nothing on to ``phone`` any more."""
        self.phones.discard(phone)
        if not self.phones and self._stop is not None:
            self._stop()
            self._stop = None

    def _hand_over(self, event: Event | None) -> None:
        # One call for all phones: each would let another thread run before the recogniser goes on.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._spread, event)

    def _spread(self, event: Event | None) -> None:
        sent = None if event is None else (event.id, self.text(event))
        for phone in self.phones:
            phone.put(sent)

    def text(self, event: Event) -> bytes:
        """An event as it is sent, stamped with ``t_sent_s`` (seconds since 1970)."""
        data = event.json_sent(self.feed.clock())
        return format_sse_event(id=str(event.id), event=event.type, data_str=data)


class EventFans:
    """The fans of a feed, one for each event loop that serves it."""

    def __init__(self) -> None:
        self._fans: dict[asyncio.AbstractEventLoop, EventFan] = {}

    def here(self, feed: Feed) -> EventFan:
        """The fan of the running loop."""
        return self._fans.setdefault(asyncio.get_running_loop(), EventFan(feed))

    @property
    def phones(self) -> int:
        """Number of phones that listen."""
        return sum(len(fan.phones) for fan in self._fans.values())
