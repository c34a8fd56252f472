"""Keys that requests carry: checked against a table's access, and guessing is slowed down."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request

from web.limits.addresses import guest_of
from web.limits.errors import ApiError
from web.table.access import RANKS, Access, Role

ADDRESSES_KEPT = 1000
"""Number of addresses whose wrong keys are remembered."""


class KeyGuard:
    """Checks keys and slows guessing: the fifth wrong key from one guest within a minute locks it out.

    While locked out a guest gets 429 for the right key too, else guessing would go on; a request
    without any key is no guess and gets 403. ``access`` is the table's access now.
    """

    def __init__(
        self,
        access: Access | str,
        *,
        keep: Callable[[Access], None] = lambda access: None,
        wrong_allowed: int = 5,
        window_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``access`` may be the join key alone. ``keep`` puts a changed access where it survives, or
        raises."""
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

    def check(self, given: str | None, address: str, needs: Role = "player") -> Role:
        """The role that the key gives. ApiError 403 (no key, a wrong one, or one of a role below ``needs``)
        or 429 (too many wrong ones)."""
        if not given:
            raise ApiError(403, "key_missing", "only players with the table's key may change things")
        now_s, address = self._clock(), guest_of(address)
        with self._lock:
            wrong = self._wrong.get(address, deque())
            while wrong and now_s - wrong[0] >= self._window_s:
                wrong.popleft()
            if len(wrong) < self._wrong_allowed:
                role = self.access.role_of(given)
                if role is not None:
                    self._wrong.pop(address, None)
                    return _allowed(role, needs)
                wrong.append(now_s)
                self._remember(address, wrong)
                if len(wrong) < self._wrong_allowed:
                    raise ApiError(403, "key_wrong", "this is not the table's key")
            wait_s = max(1, round(self._window_s - (now_s - wrong[0])))
        raise ApiError(
            429,
            "too_many_keys",
            f"too many wrong keys, try again in {wait_s} s",
            {"Retry-After": str(wait_s)},
        )

    def change(self, changed: Callable[[Access], Access]) -> Access:
        """Change the access and keep it; what keeping it raises leaves it as it was."""
        with self._changing:
            before = self.access
            self.access = changed(before)
            try:
                self._keep(self.access)  # tells the phones as well, which ask again at once
            except BaseException:
                self.access = before
                raise
            return self.access

    def _remember(self, address: str, wrong: deque[float]) -> None:
        self._wrong.pop(address, None)
        self._wrong[address] = wrong
        while len(self._wrong) > ADDRESSES_KEPT:
            self._wrong.pop(next(iter(self._wrong)))


def _allowed(role: Role, needs: Role) -> Role:
    if RANKS[role] < RANKS[needs]:
        message = (
            "only the table's host may do that" if needs == "host" else "this key is for the camera alone"
        )
        raise ApiError(403, "not_allowed", message)
    return role


async def needs_key(
    request: Request, x_table_key: Annotated[str | None, Header(max_length=200)] = None
) -> None:
    """Dependency of routes behind the one key of an application, whose ``state.guard`` is a `KeyGuard`.
    Raises ApiError."""
    guard: KeyGuard = request.app.state.guard
    guard.check(x_table_key, request.client.host if request.client else "")
