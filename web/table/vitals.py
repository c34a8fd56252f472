"""Vitals of a live table: what `/healthz` and `/metrics` tell of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

PICTURE_WITHIN_S = 300.0
"""Seconds without a picture after which a game that is not over is no longer watched."""
DISK_LOW_BYTES = 20_000_000
"""Bytes of free disk below which the log soon cannot be written: some hundred pictures of turns."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds from the pictures' coming in to their understanding: how many took at most so many seconds each
    (``counts`` by upper bound, ascending, the last infinite; each holds those before it), and their sum."""

    counts: tuple[tuple[float, int], ...] = ((math.inf, 0),)
    sum_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Vitals:
    """Vitals of a table at one moment.

    ``picture_age_s`` is since the last picture, before the first since the start; None where none is awaited
    any more. ``threads`` says of each whether it works, ``disk_free_bytes`` and ``log_writable`` are of the
    table's log (None where a recording is shown, which has none). The pictures are counted since the start.
    """

    picture_age_s: float | None = None
    threads: Mapping[str, bool] = field(default_factory=dict)
    disk_free_bytes: int | None = None
    log_writable: bool | None = None
    pictures_seen: int = 0
    pictures_dropped: int = 0
    pictures_unreadable: int = 0
    latency: Latency = Latency()

    def wrong(self) -> tuple[str, ...]:
        """Everything that needs a person, one short word each: ``picture``, ``thread:NAME``, ``disk``,
        ``log``."""
        found = [f"thread:{name}" for name, works in self.threads.items() if not works]
        if self.picture_age_s is not None and self.picture_age_s > PICTURE_WITHIN_S:
            found.append("picture")
        if self.disk_free_bytes is not None and self.disk_free_bytes < DISK_LOW_BYTES:
            found.append("disk")
        if self.log_writable is False:
            found.append("log")
        return tuple(found)
