"""Broadcast of the club's changes to nginx with Nchan, which tells all who watch."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol

from tilesight.club.fan_out import NchanFanOut
from web.club.views import ClubTable

CHANNEL = "tables"
"""The channel of all tables, and the name of its events: as the hub's own `/api/events` has them."""
LOOK_S = 0.25
"""Seconds between two looks at whether a table has changed."""


class Changing(Protocol):
    """Tables that change (web.club.views.Club)."""

    @property
    def version(self) -> int:
        """A number that grows with every change."""

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """The version now, and the tables that changed since another."""


class Broadcast:
    """The thread that tells nginx of each change once, while it is entered."""

    def __init__(self, club: Changing, publish_url: str) -> None:
        self._club = club
        self._url = publish_url
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="club: spectators", daemon=True)

    def __enter__(self) -> Broadcast:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join(5)

    def _run(self) -> None:
        asyncio.run(self._tell())

    async def _tell(self) -> None:
        known = -1
        async with NchanFanOut(self._url, CHANNEL) as nginx:
            while not self._ended.is_set():
                if self._club.version != known:
                    known, tables = self._club.since(max(known, 0))
                    told = {"version": known, "tables": [one.to_json() for one in tables]}
                    nginx.tell(CHANNEL, json.dumps(told, separators=(",", ":")))
                await asyncio.sleep(LOOK_S)
