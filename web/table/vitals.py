"""Vitals of a live table, which `/healthz` and `/metrics` report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

PICTURE_WITHIN_S = 120.0
"""Seconds for which a picture may be due before an unfinished game counts as not watched."""
DISK_LOW_BYTES = 20_000_000
"""Free disk space, in bytes, below which a warning is due. It is enough for some hundred pictures of
turns."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Histogram of the seconds from a picture's arrival to the end of its recognition.

    ``counts`` are cumulative by upper bound, ascending, the last one infinite; ``sum_s`` is the sum.
    """

    counts: tuple[tuple[float, int], ...] = ((math.inf, 0),)
    sum_s: float = 0.0


HubState = Literal["", "there", "away", "refused", "second"]
"""State of the link to the club's hub: "" without one, connected, not connected, refused because of its
invitation, or refused because another table is connected with the same one."""


@dataclass(frozen=True, slots=True)
class Vitals:
    """Vitals of a table at one moment.

    ``picture_age_s`` is the time in seconds since the last picture (or the start); None if no more pictures
    are expected. ``picture_overdue_s`` is the number of seconds for which a picture has been due. From a
    camera one is always due, from a folder only while it holds a new one. ``threads`` has for each thread
    whether it works. ``disk_free_bytes`` and ``log_writable`` are about the table's log, None for a
    recording. Pictures are counted since the start.
    """

    picture_age_s: float | None = None
    picture_overdue_s: float = 0.0
    threads: Mapping[str, bool] = field(default_factory=dict)
    disk_free_bytes: int | None = None
    log_writable: bool | None = None
    pictures_seen: int = 0
    pictures_dropped: int = 0
    pictures_unreadable: int = 0
    latency: Latency = Latency()
    hub: HubState = ""

    def wrong(self) -> tuple[str, ...]:
        """Return everything that needs attention, empty if all is well.

        The words are ``picture``, ``thread:NAME``, ``disk`` and ``log``.
        """
        found = [f"thread:{name}" for name, works in self.threads.items() if not works]
        if self.picture_overdue_s > PICTURE_WITHIN_S:
            found.append("picture")
        if self.disk_free_bytes is not None and self.disk_free_bytes < DISK_LOW_BYTES:
            found.append("disk")
        if self.log_writable is False:
            found.append("log")
        return tuple(found)
