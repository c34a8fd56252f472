"""Check of the keys that requests carry, with a limit on wrong ones."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request
from starlette.types import Scope

from engine.message import Message
from web.limits.addresses import client_of
from web.limits.errors import ApiError
from web.limits.rates import RateLimiter
from web.table.access import RANKS, Access, Role

KEY_NAME = "X-Table-Key"
"""Header that carries the key."""
KEY_ACCEPTED = "tilesight.key_accepted"
"""Key in a scope's extensions of a function to call after a right key. The server then keeps a place for the
connection."""
CHANGES = (240, 1.0)
"""Rate of changes per client: burst, and seconds per further change. A family makes a few a minute."""
CLIENTS_KEPT = 1000
"""Number of clients whose wrong keys are remembered; the one that failed longest ago is forgotten first."""


class KeyGuard:
    """Checks keys against a table's current `access`, and limits the number of wrong ones per client.

    A right key always passes: guests behind one router or proxy share an address, and one of their browsers
    must not lock the others out. From the fifth wrong key within a minute on, a client's wrong keys get 429
    instead of 403. The number of possible keys is what prevents guessing: a join key is one of 31^8, and the
    limit on processor time (`web.limits.pace`) allows some 1 400 requests a second. A request without a key
    gets 403 and does not count as wrong. Changes by holders of a key are limited to `CHANGES` per client.
    """

    def __init__(
        self,
        access: Access | str,
        *,
        keep: Callable[[Access], None] | None = None,
        wrong_allowed: int = 5,
        window_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Guard ``access``, which may also be a join key alone.

        ``keep`` is called with each changed access; it must save it or raise. Without it, a change lasts as
        long as the process. A client may send ``wrong_allowed`` - 1 wrong keys within ``window_s`` seconds.
        ``clock`` returns seconds. Raises ValueError if the join key is empty.
        """
        self.access = Access(access) if isinstance(access, str) else access
        if not self.access.player:
            raise ValueError("the table's key must not be empty")
        self._keep = keep
        self._wrong_allowed = wrong_allowed
        self._window_s = window_s
        self._clock = clock
        self._wrong: dict[str, deque[float]] = {}
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        self._changes = RateLimiter(*CHANGES, clock=clock)

    def check(self, given: str | None, address: str, needs: Role = "player") -> Role:
        """Return the role that the key ``given`` has.

        Raises ApiError 403 if the key is missing, wrong, or of a role below ``needs``, and ApiError
        429 if it is one of too many wrong keys from ``address``.
        """
        if not given:
            raise ApiError(403, "key_missing", Message("only players with the table's key may change things"))
        if (role := self.access.role_of(given)) is not None:
            return _allowed(role, needs)
        now_s, client = self._clock(), client_of(address)
        with self._lock:
            wrong = self._wrong.pop(client, deque(maxlen=self._wrong_allowed))
            while wrong and now_s - wrong[0] >= self._window_s:
                wrong.popleft()
            wrong.append(now_s)
            self._wrong[client] = wrong
            while len(self._wrong) > CLIENTS_KEPT:
                self._wrong.pop(next(iter(self._wrong)))
            if len(wrong) < self._wrong_allowed:
                raise ApiError(403, "key_wrong", Message("this is not the table's key"))
            wait_s = max(1, round(self._window_s - (now_s - wrong[0])))
        raise ApiError(
            429,
            "too_many_keys",
            Message("too many wrong keys, try again in {wait_s} s", wait_s=wait_s),
            {"Retry-After": str(wait_s)},
        )

    def count_change(self, address: str) -> None:
        """Count one change from ``address``. Raises ApiError 429 if there are too many (`CHANGES`)."""
        self._changes.take(client_of(address))

    def knows(self, given: str) -> bool:
        """Whether a key has any role. Wrong ones are not counted."""
        return self.access.role_of(given) is not None

    @property
    def keeps(self) -> bool:
        """Whether changes of the access are saved in the log of a table on this computer."""
        return self._keep is not None

    def change(self, changed: Callable[[Access], Access]) -> Access:
        """Replace the access by ``changed(access)``, save it, and return it.

        If saving raises, the old access stays and the exception is passed on.
        """
        with self._changing:
            before = self.access
            self.access = changed(before)
            try:
                if self._keep is not None:
                    self._keep(self.access)  # also notifies the phones, which reload at once
            except BaseException:
                self.access = before
                raise
            return self.access


def _allowed(role: Role, needs: Role) -> Role:
    """Return ``role`` if it ranks at least as high as ``needs``; otherwise raise ApiError 403."""
    if RANKS[role] < RANKS[needs]:
        message = Message("this key is for the camera alone")
        if needs == "host":
            message = Message("only the table's host may do that")
        raise ApiError(403, "not_allowed", message)
    return role


async def needs_key(
    request: Request, x_table_key: Annotated[str | None, Header(max_length=200)] = None
) -> None:
    """FastAPI dependency: require a valid player key in ``X-Table-Key``.

    The key is checked by ``app.state.guard`` (a `KeyGuard`). Raises ApiError 403 or 429.
    """
    guard: KeyGuard = request.app.state.guard
    guard.check(x_table_key, request.client.host if request.client else "")
    note_key(request.scope)


def note_key(scope: Scope) -> None:
    """Tell the server that the key of this request or WebSocket is right, if its scope has `KEY_ACCEPTED`."""
    accepted = (scope.get("extensions") or {}).get(KEY_ACCEPTED)
    if accepted is not None:
        accepted()
