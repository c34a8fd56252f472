"""Fan-out to spectators: the hub sends each event once, and every spectator of its channel gets it.

Nchan, a module of nginx, serves thousands of spectators. An event is the whole public state of the tables
that changed, so that a client that missed some is up to date with the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque

import httpx

log = logging.getLogger("tilesight.club.fan_out")

WAITING = 2048
"""Events that wait while nginx does not answer; the oldest gives way."""
RETRY_S, RETRY_MOST_S = 0.2, 5.0
"""First and longest pause after a post that failed."""
POST_S = 5.0
"""Time for nginx to take an event."""


class NchanFanOut:
    """Posts events to a channel of nginx with Nchan, each once and in order, within an ``async with``
    block."""

    def __init__(self, publish_url: str, channel: str) -> None:
        """``publish_url`` is the address before the channel's name, such as ``http://127.0.0.1:8782/pub``;
        the channel is also the events' name for `EventSource`."""
        self._url = f"{publish_url.rstrip('/')}/{channel}"
        self._headers = {"X-EventSource-Event": channel}
        self._waiting: deque[str] = deque()
        self._more = asyncio.Event()
        self.dropped = 0
        """Events that were given up."""

    async def __aenter__(self) -> NchanFanOut:
        self._client = httpx.AsyncClient(timeout=POST_S, trust_env=False)
        self._task = asyncio.create_task(self._post_all())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._client.aclose()

    def tell(self, event: str) -> None:
        """Send an event to all spectators, as soon as nginx accepts it."""
        if len(self._waiting) >= WAITING:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self._more.set()

    async def _post_all(self) -> None:
        """Post queued events until cancelled."""
        pause_s = RETRY_S
        while True:
            self._more.clear()
            if not self._waiting:
                await self._more.wait()
            event = self._waiting[0]
            try:
                taken = await self._post(event)
            except httpx.HTTPError as error:
                if pause_s == RETRY_S:
                    log.warning("nginx takes no events: %s", error or type(error).__name__)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, RETRY_MOST_S)
                continue
            pause_s = RETRY_S
            self.dropped += not taken
            if self._waiting[0] is event:  # it may have given way meanwhile
                self._waiting.popleft()

    async def _post(self, event: str) -> bool:
        """Post one event. Return True if nginx accepted it, False if it never will."""
        answer = await self._client.post(self._url, content=event.encode(), headers=self._headers)
        if answer.status_code >= 500 or answer.status_code == 429:
            answer.raise_for_status()
        if not answer.is_success:
            log.warning("nginx refuses an event: %s", answer.status_code)
        return answer.is_success
