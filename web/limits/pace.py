"""Limit on the processor time for serving requests, so that the recogniser always has enough.

The limit is on processor time and not on the number of requests, because an event stream costs almost nothing
and a report a lot. Guests and holders of a key have separate budgets. When the guests' budget is used up,
guests wait, and holders do not. Waiting clients are served in turn, one request each, so a client with many
requests does not delay the others.
"""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from types import coroutine
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from web.limits.addresses import client_of
from web.limits.keys import KEY_NAME

GUESTS_SHARE = 0.05
"""Processor seconds per second that serving guests may use, of one core."""
HOLDERS_SHARE = 0.15
"""Processor seconds per second that serving holders of a key may use, of one core."""
SAVED_S = 1.0
"""Upper limit of an unused budget, in processor seconds. The reserve is for moments when many phones open
their pages at once."""
WAIT_S = 0.05
"""Seconds between two checks of the budget while requests wait."""
GUESTS_THREADS = 3
"""Requests of guests that are answered in threads at a time. Holders of a key have other threads."""
UNPACED = ("/healthz",)
"""Paths that are never delayed. A supervisor that waits too long for the health check would restart the
table."""
STILL_THERE = "tilesight.still_there"
"""Key in a scope's extensions of a function that returns whether the request's connection is still open."""

P = ParamSpec("P")
"""Parameters of a metered function."""
R = TypeVar("R")
"""Return type of a metered function."""

HOLDS_KEY: ContextVar[bool] = ContextVar("holds_key", default=False)
"""Whether the current request has a right key."""
_guests_threads: RunVar[CapacityLimiter] = RunVar("guests_threads")


class CpuMeter:
    """Processor seconds that serving requests has used.

    ``spent_s`` counts metered functions in their threads. ``holders_s`` counts the requests of holders of a
    key, in threads and in the event loop.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.spent_s = 0.0
        self.holders_s = 0.0

    def metered(self, work: Callable[P, R]) -> Callable[P, R]:
        """Wrap ``work`` so that the processor time of each call is added."""

        @functools.wraps(work)
        def count(*args: P.args, **kwargs: P.kwargs) -> R:
            began_s = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                took_s = time.thread_time() - began_s
                with self._lock:
                    self.spent_s += took_s
                    if HOLDS_KEY.get():
                        self.holders_s += took_s

        return count

    @coroutine
    def holders(self, work: Coroutine[Any, Any, R]) -> Generator[Any, Any, R]:
        """Await ``work`` and add the processor time of its steps to the holders'."""
        send: Callable[[], Any] = functools.partial(work.send, None)
        while True:
            began_s = time.thread_time()
            try:
                awaited = send()
            except StopIteration as end:
                result: R = end.value
                return result
            finally:
                took_s = time.thread_time() - began_s
                with self._lock:
                    self.holders_s += took_s
            try:
                send = functools.partial(work.send, (yield awaited))
            except BaseException as error:
                send = functools.partial(work.throw, error)


CPU_METER = CpuMeter()
"""Meter for all requests in this process."""
metered = CPU_METER.metered
"""Decorator for functions that are called in worker threads."""


def in_thread(work: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Decorator for routes: run ``work`` metered in a worker thread.

    Guests' requests take `GUESTS_THREADS` of them at most, so that a holder of a key never waits for a
    free one.
    """
    counted = metered(work)

    @functools.wraps(work)
    async def run(*args: P.args, **kwargs: P.kwargs) -> R:
        limiter = None if HOLDS_KEY.get() else _threads_of_guests()
        return await run_sync(functools.partial(counted, *args, **kwargs), limiter=limiter)

    return run


def _threads_of_guests() -> CapacityLimiter:
    """Return the limiter of guests' threads in the running event loop."""
    try:
        return _guests_threads.get()
    except LookupError:
        limiter = CapacityLimiter(GUESTS_THREADS)
        _guests_threads.set(limiter)
        return limiter


@dataclass(frozen=True, slots=True)
class _Turn:
    """A waiting request. ``come`` gets True when it is its turn, False when its client has left."""

    come: asyncio.Future[bool]
    still_there: Callable[[], bool]


class Budget:
    """Processor time for some of the requests, which wait while it is used up.

    It grows by ``share`` processor seconds per second, up to ``saved_s``. ``clock`` returns seconds;
    ``spent`` returns the processor seconds used so far and is called in the event loop's thread.
    """

    def __init__(
        self, share: float, saved_s: float, clock: Callable[[], float], spent: Callable[[], float]
    ) -> None:
        self._share = share
        self._most_s = self._saved_s = saved_s
        self._clock = clock
        self._spent = spent
        self._counted: tuple[float, float, int] | None = None
        self._waiting: OrderedDict[str, deque[_Turn]] = OrderedDict()
        self._releasing: asyncio.Task[None] | None = None

    async def wait(self, address: str, still_there: Callable[[], bool]) -> bool:
        """Wait until there is budget and it is the turn of one request of this client; return True.

        Return False as soon as ``still_there()`` is False.
        """
        if not self._waiting and self._has_time():
            return True
        turn = _Turn(asyncio.get_running_loop().create_future(), still_there)
        self._waiting.setdefault(client_of(address), deque()).append(turn)
        if self._releasing is None or self._releasing.done():
            self._releasing = asyncio.create_task(self._release())
        return await turn.come

    def _has_time(self) -> bool:
        """Update the budget and return whether any processor time is left.

        The budget grows with the time since the last call and shrinks by the processor time used since then.
        """
        now_s, spent_s = self._clock(), self._spent()
        thread = threading.get_ident()
        if self._counted is not None and self._counted[2] == thread:
            passed_s, took_s = now_s - self._counted[0], spent_s - self._counted[1]
            self._saved_s = min(self._saved_s + self._share * passed_s - took_s, self._most_s)
        self._counted = (now_s, spent_s, thread)
        return self._saved_s > 0.0

    async def _release(self) -> None:
        """Release waiting requests one by one while there is budget, the clients in turn."""
        while self._waiting:
            if not self._has_time():
                self._let_go()
                await asyncio.sleep(WAIT_S)
                continue
            address, queue = self._waiting.popitem(last=False)
            turn = queue.popleft()
            if queue:
                self._waiting[address] = queue  # to the end of the line
            if not turn.come.done():
                turn.come.set_result(True)
                await asyncio.sleep(0)

    def _let_go(self) -> None:
        """Release the requests whose clients have left: they need no budget."""
        for address, queue in list(self._waiting.items()):
            for turn in queue:
                if not turn.come.done() and not turn.still_there():
                    turn.come.set_result(False)
            self._waiting[address] = deque(turn for turn in queue if not turn.come.done())
            if not self._waiting[address]:
                del self._waiting[address]


def _always() -> bool:
    """Return True: without information from the server, the client counts as still connected."""
    return True


class PaceMiddleware:
    """ASGI middleware that delays HTTP requests while the processor budget of their kind is used up.

    ``knows_key(key)`` returns whether a request is a holder's. The guests' budget also pays for everything
    else in the event loop. ``clock`` returns seconds, ``spent`` the processor seconds used so far for all
    requests.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        knows_key: Callable[[str], bool] = lambda key: False,
        share: float = GUESTS_SHARE,
        saved_s: float = SAVED_S,
        clock: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = lambda: time.thread_time() + CPU_METER.spent_s,
    ) -> None:
        self.app = app
        self._knows_key = knows_key
        self._guests = Budget(share, saved_s, clock, lambda: spent() - CPU_METER.holders_s)
        self._holders = Budget(HOLDERS_SHARE, saved_s, clock, lambda: CPU_METER.holders_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on to the application, after a wait if there is no budget."""
        if scope["type"] != "http" or scope.get("path") in UNPACED:
            await self.app(scope, receive, send)
            return
        holds = self._is_holder(scope)
        budget = self._holders if holds else self._guests
        still_there = (scope.get("extensions") or {}).get(STILL_THERE, _always)
        if not await budget.wait((scope.get("client") or ("",))[0], still_there):
            return
        if not holds:
            await self.app(scope, receive, send)
            return
        known = HOLDS_KEY.set(True)
        try:
            await CPU_METER.holders(self._serve(scope, receive, send))
        finally:
            HOLDS_KEY.reset(known)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on to the application."""
        await self.app(scope, receive, send)

    def _is_holder(self, scope: Scope) -> bool:
        """Whether a request has a right key."""
        wanted = KEY_NAME.lower().encode()
        given = next((value for name, value in scope.get("headers", ()) if name == wanted), None)
        return given is not None and self._knows_key(given.decode("latin-1"))
