"""Fan-out to spectators: the hub sends each event once, and every spectator of the table gets it.

Nchan, a module of nginx, serves thousands of spectators. An event is the whole public state of a table, so
that a client that missed some is up to date with the next.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections import deque

import httpx

log = logging.getLogger("tilesight.club.fan_out")

LANES = 8
"""Connections with which events are posted; all of one table go by the same, and so in order."""
WAITING = 2048
"""Events that wait in a lane while nginx does not answer; the oldest gives way."""
RETRY_S, RETRY_MOST_S = 0.2, 5.0
"""First and longest pause after a post that failed."""
POST_S = 5.0
"""Time for nginx to take an event."""


class NchanFanOut:
    """Posts events to nginx with Nchan: each once, those of a table in order, within an ``async with``
    block."""

    def __init__(self, publish_url: str, kind: str | None = None) -> None:
        """``publish_url`` is the address before the table's name, such as ``http://127.0.0.1:8782/pub``;
        ``kind`` is the events' name for `EventSource`."""
        self._url = publish_url.rstrip("/")
        self._headers = {} if kind is None else {"X-EventSource-Event": kind}
        self._lanes: list[deque[tuple[str, str]]] = [deque() for _ in range(LANES)]
        self._more = [asyncio.Event() for _ in range(LANES)]
        self._tasks: list[asyncio.Task[None]] = []
        self.dropped = 0
        """Events that were given up."""

    async def __aenter__(self) -> NchanFanOut:
        limits = httpx.Limits(max_connections=LANES, max_keepalive_connections=LANES)
        self._client = httpx.AsyncClient(limits=limits, timeout=POST_S, trust_env=False)
        self._tasks = [asyncio.create_task(self._post_all(n)) for n in range(LANES)]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()

    def tell(self, table: str, event: str) -> None:
        """Send an event to all spectators of a table, as soon as nginx accepts it."""
        number = zlib.crc32(table.encode()) % LANES
        lane = self._lanes[number]
        if len(lane) >= WAITING:
            lane.popleft()
            self.dropped += 1
        lane.append((table, event))
        self._more[number].set()

    async def _post_all(self, number: int) -> None:
        """Post queued events until cancelled."""
        lane, more, pause_s = self._lanes[number], self._more[number], RETRY_S
        while True:
            more.clear()
            if not lane:
                await more.wait()
            event = lane[0]
            try:
                taken = await self._post(*event)
            except httpx.HTTPError as error:
                if pause_s == RETRY_S:
                    log.warning("nginx takes no events: %s", error or type(error).__name__)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, RETRY_MOST_S)
                continue
            pause_s = RETRY_S
            self.dropped += not taken
            if lane and lane[0] is event:  # it may have given way meanwhile
                lane.popleft()

    async def _post(self, table: str, event: str) -> bool:
        """Post one event. Return True if nginx accepted it, False if it never will."""
        answer = await self._client.post(
            f"{self._url}/{table}", content=event.encode(), headers=self._headers
        )
        if answer.status_code >= 500 or answer.status_code == 429:
            answer.raise_for_status()
        if answer.is_success:
            return True
        log.warning("nginx refuses an event of %s: %s", table, answer.status_code)
        return False
