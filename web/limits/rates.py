"""Rates of requests: a guest may ask so much at once, and then so often."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from web.limits.errors import ApiError

GUESTS_KEPT = 10_000
"""Number of guests whose requests are remembered."""


class Rates:
    """Requests of each guest: ``at_once`` of them, and another one each ``every_s`` seconds.

    Who asks more waits, or is refused where that would be for longer than ``patience_s``; what is refused
    counts for nothing. May be used from any thread.
    """

    def __init__(
        self,
        at_once: int,
        every_s: float,
        patience_s: float = 0.0,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._saved_s = (at_once - 1) * every_s
        self._every_s = every_s
        self._patience_s = patience_s
        self._clock = clock
        self._due_s: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, guest: str) -> float:
        """Seconds for which this request waits, mostly 0. ApiError 429 where they are too many."""
        with self._lock:
            now_s = self._clock()
            due_s = max(self._due_s.get(guest, now_s), now_s)
            wait_s = max(0.0, due_s - self._saved_s - now_s)
            if wait_s <= self._patience_s:
                self._due_s[guest] = due_s + self._every_s
                self._due_s.move_to_end(guest)
                if len(self._due_s) > GUESTS_KEPT:
                    self._due_s.popitem(last=False)
                return wait_s
        again_s = max(1, math.ceil(wait_s - self._patience_s))
        raise ApiError(
            429, "too_often", f"too many requests, try again in {again_s} s", {"Retry-After": str(again_s)}
        )
