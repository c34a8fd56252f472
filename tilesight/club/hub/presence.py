"""Presence of the club's tables: their last status and its time; only in memory, because tables repeat it."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass

from tilesight.club.messages import PREVIEW_BYTES, Status

LOST_AFTER_S = 16.0
"""Seconds without a status, sent every five, after which a table has no connection."""
AWAY_AFTER_S = 1200.0
"""Seconds without a status and without an entry after which a table whose game is not over is taken to be
abandoned."""
TABLES_AT_MOST = 5000
"""Tables whose presence is remembered; those heard of last stay."""


@dataclass(frozen=True, slots=True)
class Present:
    """Last report of a table: its status, its time (by `time.monotonic`), and a small picture."""

    status: Status | None = None
    heard_s: float = 0.0
    preview: bytes | None = None


class Presence:
    """Last reports of all tables. Thread-safe."""

    def __init__(self) -> None:
        self._tables: dict[str, Present] = {}
        self._lock = threading.Lock()

    def hear(self, table: str, status: Status) -> bool:
        """Store a status. Return True if it differs from the last one."""
        with self._lock:
            before = self._tables.pop(table, Present())
            self._keep(table, Present(status, time.monotonic(), before.preview))
            return before.status != status or time.monotonic() - before.heard_s > LOST_AFTER_S

    def see(self, table: str, jpeg: bytes) -> None:
        """Store a small picture, if it is a JPEG."""
        if len(jpeg) > PREVIEW_BYTES or not jpeg.startswith(b"\xff\xd8"):
            return
        with self._lock:
            before = self._tables.pop(table, Present())
            self._keep(table, Present(before.status, before.heard_s, jpeg))

    def _keep(self, table: str, present: Present) -> None:
        """Store a report; drop the oldest above `TABLES_AT_MOST`."""
        self._tables[table] = present
        while len(self._tables) > TABLES_AT_MOST:
            self._tables.pop(next(iter(self._tables)))

    def of(self, table: str) -> Present:
        """Return the last report of a table."""
        with self._lock:
            return self._tables.get(table, Present())

    def is_there(self, table: str) -> bool:
        """Whether a table has reported recently."""
        present = self.of(table)
        return present.status is not None and time.monotonic() - present.heard_s <= LOST_AFTER_S

    def silent_s(self, table: str) -> float:
        """Return the seconds since a table's last status; infinity if none is known."""
        present = self.of(table)
        return math.inf if present.status is None else time.monotonic() - present.heard_s
