"""Join key of a table: its holder may change things, and guessing it is slowed down."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from web.limits.addresses import guest_of
from web.limits.errors import ApiError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters of a key, without 0 O 1 I L: it is read aloud and typed on a phone."""
ADDRESSES_KEPT = 1000
"""Number of addresses whose wrong keys are remembered."""


def new_key(length: int = 8) -> str:
    """A fresh join key of ``length`` characters that are hard to confuse."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


class KeyGuard:
    """Checks the key and slows guessing: the fifth wrong key from one address within a minute locks it out.

    While locked out an address gets 429 for the right key too, else guessing would go on; a request
    without any key is no guess and gets 403.
    """

    def __init__(
        self,
        key: str,
        *,
        wrong_allowed: int = 5,
        window_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not key:
            raise ValueError("the table's key must not be empty")
        self._key = key.encode()
        self._wrong_allowed = wrong_allowed
        self._window_s = window_s
        self._clock = clock
        self._wrong: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def check(self, given: str | None, address: str) -> None:
        """Pass, or raise :class:`ApiError` 403 (no or wrong key) or 429 (too many wrong ones)."""
        if not given:
            raise ApiError(403, "key_missing", "only players with the table's key may change things")
        now_s, address = self._clock(), guest_of(address)
        with self._lock:
            wrong = self._wrong.get(address, deque())
            while wrong and now_s - wrong[0] >= self._window_s:
                wrong.popleft()
            if len(wrong) < self._wrong_allowed:
                if hmac.compare_digest(given.encode(errors="surrogatepass"), self._key):
                    self._wrong.pop(address, None)
                    return
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

    def _remember(self, address: str, wrong: deque[float]) -> None:
        self._wrong.pop(address, None)
        self._wrong[address] = wrong
        while len(self._wrong) > ADDRESSES_KEPT:
            self._wrong.pop(next(iter(self._wrong)))
