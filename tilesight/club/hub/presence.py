"""Presence of the club's tables: their last status and its time; only in memory, because tables repeat it."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, replace

from tilesight.club.messages import PREVIEW_BYTES, Status

LOST_AFTER_S = 16.0
"""Seconds without a status, sent every five, after which a table has no connection."""
AWAY_AFTER_S = 1200.0
"""Seconds without a status and without an entry after which a table whose game is not over is taken to be
abandoned."""
SLOW_S = 90.0
"""Seconds by which a table's clock may differ from the hub's without a warning."""
TABLES_AT_MOST = 5000
"""Tables whose presence is remembered; those heard of last stay."""


@dataclass(frozen=True, slots=True)
class Present:
    """Last report of a table: its status, its time (by `time.monotonic`), and a small picture.

    ``slow_s`` is by how many seconds the table's clock is slow (negative: fast); None if it is not known.
    """

    status: Status | None = None
    heard_s: float = 0.0
    preview: bytes | None = None
    slow_s: float | None = None

    @property
    def slow_min(self) -> int:
        """Minutes by which the table's clock is slow; 0 within `SLOW_S`."""
        return round(self.slow_s / 60) if self.slow_s is not None and abs(self.slow_s) > SLOW_S else 0


class Presence:
    """Last reports of all tables. Thread-safe."""

    def __init__(self) -> None:
        self._tables: dict[str, Present] = {}
        self._lock = threading.Lock()

    def hear(self, table: str, status: Status) -> bool:
        """Store a status. Return True if it differs from the last one."""
        with self._lock:
            before = self._tables.pop(table, Present())
            slow_s = None if status.at_s is None else time.time() - status.at_s
            untimed = status.model_copy(update={"at_s": None})
            now = Present(untimed, time.monotonic(), before.preview, slow_s)
            self._keep(table, now)
            known = (before.status, before.slow_min) == (now.status, now.slow_min)
            return not known or now.heard_s - before.heard_s > LOST_AFTER_S

    def see(self, table: str, jpeg: bytes) -> None:
        """Store a small picture of a table's camera. Ignores what is no JPEG or larger than
        `PREVIEW_BYTES`."""
        if len(jpeg) > PREVIEW_BYTES or not jpeg.startswith(b"\xff\xd8"):
            return
        with self._lock:
            before = self._tables.pop(table, Present())
            self._keep(table, replace(before, preview=jpeg))

    def _keep(self, table: str, present: Present) -> None:
        """Store a report; drop the oldest above `TABLES_AT_MOST`."""
        self._tables[table] = present
        while len(self._tables) > TABLES_AT_MOST:
            self._tables.pop(next(iter(self._tables)))

    def of(self, table: str) -> Present:
        """Return the last report of a table; an empty one if nothing was heard of it."""
        with self._lock:
            return self._tables.get(table, Present())

    def is_there(self, table: str) -> bool:
        """Whether a table has sent a status within the last `LOST_AFTER_S` seconds."""
        present = self.of(table)
        return present.status is not None and time.monotonic() - present.heard_s <= LOST_AFTER_S

    def silent_s(self, table: str) -> float:
        """Return the seconds since a table's last status; infinity if none is known."""
        present = self.of(table)
        return math.inf if present.status is None else time.monotonic() - present.heard_s
