"""Feed: a table's events in order, kept for phones that come back, passed on to subscribers.

The recogniser publishes from its own thread; each subscriber is a function that only hands the event to an
event loop, so a slow phone never holds the recogniser up.
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
Subscriber = Callable[["Event | None"], None]
"""Hears each event, and None when the feed closes."""


@dataclass(frozen=True)
class Event:
    """One event.  ``frame`` is the frame it follows from, None where no frame stands behind it.

    ``body`` is the JSON object without ``t_sent_s``. Its ``t_frame_s`` is the moment that frame came in, in
    seconds since 1970, so that ``t_sent_s - t_frame_s`` is the delay a phone at the table feels.
    """

    id: int
    type: EventType
    frame: int | None
    body: str

    def json_sent(self, t_sent_s: float) -> str:
        """The event as the text of a JSON object in one line, stamped with the time it is sent."""
        return f'{self.body[:-1]},"t_sent_s":{t_sent_s:.4f}}}'


class Feed:
    """Numbered events, the last ``keep`` of them for replay.  All methods may be called from any thread."""

    def __init__(self, *, keep: int = 2000, clock: Callable[[], float] = time.time) -> None:
        self._events: deque[Event] = deque(maxlen=keep)
        self._subscribers: dict[int, Subscriber] = {}
        self._next_subscriber = 0
        self._last_id = 0
        self._closed = False
        self._lock = threading.Lock()
        self.clock = clock

    @property
    def last_id(self) -> int:
        """The id of the newest event, 0 before the first."""
        return self._last_id

    @property
    def closed(self) -> bool:
        """Whether no more events come."""
        return self._closed

    def publish(
        self,
        type: EventType,
        data: Mapping[str, object] | None = None,
        *,
        frame: int | None = None,
        t_frame_s: float | None = None,
    ) -> Event:
        """Append an event and tell every subscriber.

        ``data`` must be what :func:`json.dumps` takes; its keys stand beside ``id``, ``type``, ``frame`` and
        ``t_frame_s``, which win.
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
            event = Event(number, type, frame, body)
            self._events.append(event)
            self._last_id = number
            # Told inside the lock, so that subscribers get events in the order of their ids.
            for subscriber in self._subscribers.values():
                subscriber(event)
        return event

    def since(self, last_id: int) -> tuple[Event, ...]:
        """The kept events after ``last_id``, oldest first."""
        with self._lock:
            return tuple(event for event in self._events if event.id > last_id)

    def listen(
        self, subscriber: Subscriber, *, after: int | None = None
    ) -> tuple[tuple[Event, ...], Callable[[], None]]:
        """Call ``subscriber`` for every event from now on, and once with None when the feed closes.

        Returns the kept events after ``after`` (none where it is None) and a function that stops listening.
        No event is lost or doubled between those and the first call.  ``subscriber`` runs in the publishing
        thread under the feed's lock: it must only pass the event on.
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
        """End every stream, so that a server can stop without waiting for its phones."""
        with self._lock:
            self._closed = True
            for subscriber in self._subscribers.values():
                subscriber(None)
