"""Feed of a table's events: numbered, passed on to subscribers, and kept for clients that reconnect.

The recogniser publishes from its own thread. A subscriber only passes the event on to an event loop, so a
slow client never delays the recogniser.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EventType = Literal["turn", "score", "question", "fault", "camera", "end", "seat", "access", "pause"]
"""Types of event (docs/http.md, 'Events')."""
EVENT_TYPES: tuple[str, ...] = get_args(EventType)
"""All types of event."""
Subscriber = Callable[["FeedEvent | None"], None]
"""Function that is called with each event, and with None when the feed closes."""


@dataclass(frozen=True)
class FeedEvent:
    """An event. ``frame`` is the frame that caused it, or None.

    ``body`` is its JSON object without ``t_sent_s``. It contains ``t_frame_s``, the arrival time of that
    frame in seconds since 1970; ``t_sent_s - t_frame_s`` is the delay until a client gets the event.
    """

    id: int
    type: EventType
    frame: int | None
    body: str

    def json_sent(self, t_sent_s: float) -> str:
        """Return the event as JSON in one line, with the time of sending (seconds since 1970) added."""
        return f'{self.body[:-1]},"t_sent_s":{t_sent_s:.4f}}}'


class Feed:
    """Numbered events; the last ``keep`` ones are kept. Methods may be called from any thread."""

    def __init__(self, *, keep: int = 2000, clock: Callable[[], float] = time.time) -> None:
        self._events: deque[FeedEvent] = deque(maxlen=keep)
        self._subscribers: dict[int, Subscriber] = {}
        self._next_subscriber = 0
        self._last_id = 0
        self._closed = False
        self._lock = threading.Lock()
        self.clock = clock

    @property
    def last_id(self) -> int:
        """Id of the newest event; 0 before the first."""
        return self._last_id

    @property
    def closed(self) -> bool:
        """Whether the feed is closed: no more events will come."""
        return self._closed

    def publish(
        self,
        type: EventType,
        data: Mapping[str, object] | None = None,
        *,
        frame: int | None = None,
        t_frame_s: float | None = None,
    ) -> FeedEvent:
        """Append an event, call all subscribers with it, and return it.

        ``data`` must be serialisable as JSON. Its keys ``id``, ``type``, ``frame``, ``t_frame_s`` and
        ``t_sent_s`` are ignored. Raises ValueError for an unknown type.
        """
        if type not in EVENT_TYPES:
            raise ValueError(f"unknown event type {type!r}, known: {', '.join(EVENT_TYPES)}")
        with self._lock:
            number = self._last_id + 1
            head = {"id": number, "type": type, "frame": frame, "t_frame_s": t_frame_s}
            rest = {
                key: value for key, value in (data or {}).items() if key not in head and key != "t_sent_s"
            }
            body = json.dumps({**head, **rest}, separators=(",", ":"), ensure_ascii=False)
            event = FeedEvent(number, type, frame, body)
            self._events.append(event)
            self._last_id = number
            # Called while locked, so that subscribers get events in the order of their ids.
            for subscriber in self._subscribers.values():
                subscriber(event)
        return event

    def since(self, last_id: int) -> tuple[FeedEvent, ...]:
        """Return the kept events after ``last_id``, oldest first."""
        with self._lock:
            return tuple(event for event in self._events if event.id > last_id)

    def listen(
        self, subscriber: Subscriber, *, after: int | None = None
    ) -> tuple[tuple[FeedEvent, ...], Callable[[], None]]:
        """Call ``subscriber`` with every event from now on, and with None when the feed closes.

        Returns the kept events after ``after`` (none if it is None), and a function that ends the
        subscription. Between those events and the first call, no event is lost or repeated. ``subscriber`` is
        called in the publishing thread while the feed is locked, so it must only pass the event on.
        """
        with self._lock:
            number = self._next_subscriber
            self._next_subscriber += 1
            self._subscribers[number] = subscriber
            missed = () if after is None else tuple(event for event in self._events if event.id > after)
            if self._closed:
                subscriber(None)

        def stop() -> None:
            with self._lock:
                self._subscribers.pop(number, None)

        return missed, stop

    def close(self) -> None:
        """Close the feed and call all subscribers with None.

        Event streams then end, so that the server can stop.
        """
        with self._lock:
            self._closed = True
            for subscriber in self._subscribers.values():
                subscriber(None)
