"""Broadcast of the club's changes to nginx with Nchan, which passes them to all spectators."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tilesight.club.fan_out import NchanFanOut
from web.club.views import ClubTable

CHANNEL = "tables"
"""The channel of all tables, and the name of its events: as the hub's own `/api/events` has them."""
LOOK_S = 0.5
"""Seconds between two looks at whether a table has changed: each event costs a write for every spectator."""
EVENT_BYTES = 64 * 1024
"""Bytes of one event, at most: nginx refuses what is larger (docs/deploy/club/nginx.conf)."""
MOST_BYTES = EVENT_BYTES - 4096
"""Bytes of the tables of one event, at most."""


class Changing(Protocol):
    """Protocol of tables that change (web.club.views.Club)."""

    @property
    def version(self) -> int:
        """A number that increases with every change."""

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """Return the current version, and the tables that changed after ``version``."""


def events(version: int, tables: Iterable[ClubTable]) -> Iterator[str]:
    """Yield the tables' current state as events (JSON objects with ``version``, ``told_s`` and ``tables``),
    each with tables of at most `MOST_BYTES` bytes; a single larger table has an event of its own."""
    told, size = list[str](), 0
    for card in (json.dumps(one.to_json(), separators=(",", ":")) for one in tables):
        if told and size + len(card) > MOST_BYTES:
            yield _event(version, told)
            told, size = [], 0
        told.append(card)
        size += len(card) + 1
    if told:
        yield _event(version, told)


def _event(version: int, cards: Sequence[str]) -> str:
    """Return an event with these tables, each given as JSON, as a JSON object. ``told_s`` is now, in seconds
    since 1970."""
    return f'{{"version":{version},"told_s":{time.time():.3f},"tables":[{",".join(cards)}]}}'


class Broadcast:
    """Thread that posts each change of ``club`` to nginx at ``publish_url`` once, within a ``with`` block."""

    def __init__(self, club: Changing, publish_url: str) -> None:
        self._club = club
        self._url = publish_url
        self._ended = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._tell()), name="club: spectators", daemon=True
        )

    def __enter__(self) -> Broadcast:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(5)

    async def _tell(self) -> None:
        """Post an event at each change until the ``with`` block ends."""
        known = -1
        async with NchanFanOut(self._url, CHANNEL) as nginx:
            while not self._ended.is_set():
                if self._club.version != known:
                    known, tables = self._club.since(max(known, 0))
                    for event in events(known, tables):
                        nginx.tell(event)
                await asyncio.sleep(LOOK_S)
