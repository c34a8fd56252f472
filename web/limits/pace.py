"""Pace of serving: the share of the processor it may take, because the recogniser comes first.

Processor time is what counts, not requests: an event stream costs nearly nothing, a report a lot. Requests
beyond the share wait, and those of an address that asks much wait behind those of the others.
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

from web.limits.addresses import guest_of

SHARE = 0.15
"""Processor seconds a second that serving may take, of one core."""
SAVED_S = 2.0
"""Processor seconds that may be saved up: many phones open their pages at once."""
WAIT_S = 0.05
"""Seconds between two looks whether there is time again."""
UNPACED = ("/healthz",)
"""Addresses that are answered at once: a program that waits in vain would start the table anew."""

P = ParamSpec("P")
"""Parameters of work whose time is counted."""
R = TypeVar("R")
"""Type that the work returns."""


class Meter:
    """Processor time that requests took in threads of their own, beside the event loop's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.spent_s = 0.0

    def counted(self, work: Callable[P, R]) -> Callable[P, R]:
        """``work``, with its processor time counted."""

        @functools.wraps(work)
        def count(*args: P.args, **kwargs: P.kwargs) -> R:
            began_s = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                with self._lock:
                    self.spent_s += time.thread_time() - began_s

        return count


METER = Meter()
"""Processor time of all threads that answer requests in this process."""
counted = METER.counted
"""For routes that are not ``async``: these run in threads."""


class PaceMiddleware:
    """ASGI middleware: lets a request through when there is processor time for it. ``clock`` gives seconds,
    ``spent`` the processor seconds of serving so far, asked for in the event loop's thread."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        share: float = SHARE,
        saved_s: float = SAVED_S,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = lambda: time.thread_time() + METER.spent_s,
    ) -> None:
        self.app = app
        self._share = share
        self._most_s = self._saved_s = saved_s
        self._clock = clock
        self._spent = spent
        self._counted: tuple[float, float, int] | None = None
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._calling: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        paced = scope["type"] == "http" and scope.get("path") not in UNPACED
        if paced and (self._waiting or not self._has_time()):
            await self._wait(guest_of((scope.get("client") or ("",))[0]))
        await self.app(scope, receive, send)

    def _has_time(self) -> bool:
        now_s, spent_s = self._clock(), self._spent()
        thread = threading.get_ident()
        if self._counted is not None and self._counted[2] == thread:
            passed_s, took_s = now_s - self._counted[0], spent_s - self._counted[1]
            self._saved_s = min(self._saved_s + self._share * passed_s - took_s, self._most_s)
        self._counted = (now_s, spent_s, thread)
        return self._saved_s > 0.0

    async def _wait(self, address: str) -> None:
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(called)
        if self._calling is None or self._calling.done():
            self._calling = asyncio.create_task(self._call())
        await called

    async def _call(self) -> None:
        """Call who waits, one address after the other."""
        while self._waiting:
            while not self._has_time():
                await asyncio.sleep(WAIT_S)
            address, queue = self._waiting.popitem(last=False)
            called = queue.popleft()
            if queue:
                self._waiting[address] = queue  # behind the others
            if not called.done():
                called.set_result(None)
                await asyncio.sleep(0)
