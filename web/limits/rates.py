"""Rate limit per client."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from engine.message import Message
from web.limits.errors import ApiError

CLIENTS_KEPT = 10_000
"""Number of clients whose requests are remembered."""


class RateLimiter:
    """Rate limit: each client may send ``at_once`` requests in a burst, then one every ``every_s`` seconds.

    A request beyond the rate is told to wait, or is refused if the wait would exceed ``patience_s`` seconds.
    Refused requests do not count. Thread-safe.
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

    def take(self, client: str) -> float:
        """Count one request of ``client`` and return the seconds that it must wait, usually 0.

        Raises ApiError 429 if the wait would exceed ``patience_s``.
        """
        with self._lock:
            now_s = self._clock()
            due_s = max(self._due_s.get(client, now_s), now_s)
            wait_s = max(0.0, due_s - self._saved_s - now_s)
            if wait_s <= self._patience_s:
                self._due_s[client] = due_s + self._every_s
                self._due_s.move_to_end(client)
                if len(self._due_s) > CLIENTS_KEPT:
                    self._due_s.popitem(last=False)
                return wait_s
        again_s = max(1, math.ceil(wait_s - self._patience_s))
        raise ApiError(
            429,
            "too_often",
            Message("too many requests, try again in {wait_s} s", wait_s=again_s),
            {"Retry-After": str(again_s)},
        )
