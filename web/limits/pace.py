"""Limit on the processor time for serving requests, so that the recogniser always has enough.

The limit is on processor time and not on the number of requests, because an event stream costs almost nothing
and a report a lot. When the budget is used up, requests wait. Waiting clients are served in turn, one request
each, so a client with many requests does not delay the others.
"""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from web.limits.addresses import client_of

SHARE = 0.15
"""Processor seconds per second that serving may use, of one core."""
SAVED_S = 2.0
"""Processor seconds of unused budget that may accumulate, for when many phones open their pages at once."""
WAIT_S = 0.05
"""Seconds between two checks of the budget while requests wait."""
UNPACED = ("/healthz",)
"""Paths that are never delayed: a supervisor that waits too long for the health check would restart the
table."""

P = ParamSpec("P")
"""Parameters of a metered function."""
R = TypeVar("R")
"""Return type of a metered function."""


class CpuMeter:
    """Sum of the processor seconds (``spent_s``) that metered functions used in their threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.spent_s = 0.0

    def metered(self, work: Callable[P, R]) -> Callable[P, R]:
        """Wrap ``work`` so that the processor time of each call is added to ``spent_s``."""

        @functools.wraps(work)
        def count(*args: P.args, **kwargs: P.kwargs) -> R:
            began_s = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                with self._lock:
                    self.spent_s += time.thread_time() - began_s

        return count


CPU_METER = CpuMeter()
"""Meter for all worker threads that answer requests in this process."""
metered = CPU_METER.metered
"""Decorator for routes that are not ``async``. FastAPI runs them in worker threads."""


class PaceMiddleware:
    """ASGI middleware that delays HTTP requests while the processor budget is used up.

    The budget grows by ``share`` processor seconds per second, up to ``saved_s``. ``clock`` returns seconds;
    ``spent`` returns the processor seconds used so far and is called in the event loop's thread.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        share: float = SHARE,
        saved_s: float = SAVED_S,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = lambda: time.thread_time() + CPU_METER.spent_s,
    ) -> None:
        self.app = app
        self._share = share
        self._most_s = self._saved_s = saved_s
        self._clock = clock
        self._spent = spent
        self._counted: tuple[float, float, int] | None = None
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._releasing: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on to the application, after a wait if there is no budget."""
        paced = scope["type"] == "http" and scope.get("path") not in UNPACED
        if paced and (self._waiting or not self._has_time()):
            await self._wait(client_of((scope.get("client") or ("",))[0]))
        await self.app(scope, receive, send)

    def _has_time(self) -> bool:
        """Update the budget by the time passed and the processor time used since the last call; return
        whether any is left."""
        now_s, spent_s = self._clock(), self._spent()
        thread = threading.get_ident()
        if self._counted is not None and self._counted[2] == thread:
            passed_s, took_s = now_s - self._counted[0], spent_s - self._counted[1]
            self._saved_s = min(self._saved_s + self._share * passed_s - took_s, self._most_s)
        self._counted = (now_s, spent_s, thread)
        return self._saved_s > 0.0

    async def _wait(self, address: str) -> None:
        """Wait until it is the turn of one request of this client."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        if self._releasing is None or self._releasing.done():
            self._releasing = asyncio.create_task(self._release())
        await turn

    async def _release(self) -> None:
        """Release waiting requests one by one while there is budget, the clients in turn."""
        while self._waiting:
            while not self._has_time():
                await asyncio.sleep(WAIT_S)
            address, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[address] = queue  # to the end of the line
            if not turn.done():
                turn.set_result(None)
                await asyncio.sleep(0)
