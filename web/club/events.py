"""Events of the club for spectators: each change of the tables is encoded once for all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event

from web.club.gate import GateDep, Key
from web.club.views import Club, ClubTable
from web.limits.keys import note_key
from web.uncached import NO_STORE

POLL_S = 0.25
"""Seconds between two checks of whether a table has changed."""
HEARTBEAT_S = 15.0
"""Seconds without an event after which a comment line is sent to all spectators."""
RETRY_MS = 1500
"""Milliseconds after which a disconnected client should reconnect."""
KNOWN_AT_MOST = 64
"""Number of encoded events that are kept at a time: one for each earlier version that a spectator has."""
STREAMED = {**NO_STORE, "X-Accel-Buffering": "no"}
"""Headers of an event stream: not cached, and not buffered by proxies."""


class ClubEvents:
    """Server-sent events of a club's changes. All methods are called in one event loop.

    While there are spectators, one task checks every `POLL_S` seconds for a new version and wakes them. Those
    that have the same version get the same bytes. A slow spectator skips intermediate versions, so that
    nothing queues up.
    """

    def __init__(self, club: Club) -> None:
        self._club = club
        self._cards: dict[str, tuple[ClubTable, str]] = {}
        self._version = -1
        self._events: dict[int, tuple[int, bytes]] = {}
        self._changed = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self.streams = 0
        """Number of open streams."""

    async def stream(self, known: int) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of one spectator's stream; it never ends.

        First come the changes after version ``known``, then each further change. When nothing has changed for
        `HEARTBEAT_S` seconds, a comment line is sent.
        """
        self.streams += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield format_sse_event(retry=RETRY_MS)
            while True:
                changed = self._changed
                if self._club.version != known:
                    known, event = self._since(known)
                    yield event
                    continue
                await changed.wait()
                if self._club.version == known:
                    yield KEEPALIVE_COMMENT
        finally:
            self.streams -= 1
            if not self.streams and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    def all_tables(self) -> bytes:
        """Return the JSON document of all tables (``GET /api/tables``)."""
        version, tables = self._club.since(0)
        return f'{{"tilesight":1,{self._json(version, tables)}}}'.encode()

    async def _watch(self) -> None:
        """Wake all streams at each change, and after `HEARTBEAT_S` seconds without one, until cancelled."""
        clock = asyncio.get_running_loop().time
        seen, woken_s = self._club.version, clock()
        while True:
            await asyncio.sleep(POLL_S)
            if self._club.version != seen or clock() - woken_s > HEARTBEAT_S:
                seen, woken_s = self._club.version, clock()
                self._changed.set()
                self._changed = asyncio.Event()

    def _since(self, known: int) -> tuple[int, bytes]:
        """Return the current version, and the event with the tables that changed after version ``known``."""
        if self._version != self._club.version or len(self._events) >= KNOWN_AT_MOST:
            self._version = self._club.version
            self._events.clear()
        if known not in self._events:
            version, tables = self._club.since(known)
            data = f"{{{self._json(version, tables)}}}"
            self._events[known] = version, format_sse_event(data_str=data, event="tables")
        return self._events[known]

    def _json(self, version: int, tables: Iterable[ClubTable]) -> str:
        """Return the fields ``version`` and ``tables`` of a JSON object."""
        return f'"version":{version},"tables":[{",".join(map(self._card, tables))}]'

    def _card(self, table: ClubTable) -> str:
        """Return a table as JSON, encoded once for each of its states."""
        kept = self._cards.get(table.id)
        if kept is None or kept[0] is not table:
            kept = self._cards[table.id] = table, json.dumps(table.to_json(), separators=(",", ":"))
        return kept[1]


routes = APIRouter()
"""Routes about the state of all tables."""


async def _events(request: Request) -> ClubEvents:
    """FastAPI dependency: return the application's events."""
    events: ClubEvents = request.app.state.events
    return events


EventsDep = Annotated[ClubEvents, Depends(_events)]
"""Route parameter: the application's events."""


@routes.get("/api/tables")
async def get_tables(events: EventsDep) -> Response:
    """Return all tables with their scores and open questions.

    ``version`` is the version number for ``GET /api/events``.
    """
    return Response(events.all_tables(), media_type="application/json")


@routes.get("/api/events")
async def get_events(
    request: Request,
    gate: GateDep,
    events: EventsDep,
    since: Annotated[int, Query(ge=0)] = 0,
    x_table_key: Key = None,
) -> EventSourceResponse:
    """Stream server-sent events ``tables``: the tables that changed after version ``since``.

    Each event has their current state. With a right key, the server keeps a place for the stream.
    """
    if await gate.is_holder(request, x_table_key):
        note_key(request.scope)
    return EventSourceResponse(events.stream(since), headers=STREAMED)
