"""Keys of a table: each gives a role, roles say who may change things, and guessing is slowed down."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from fastapi import Header, Request

from web.limits.addresses import guest_of
from web.limits.errors import ApiError

Role = Literal["camera", "player", "host"]
"""Role of who holds a key; who holds none is a spectator. A player may do all that a camera may, a host all
that a player may."""
RANKS: Mapping[Role, int] = {"camera": 1, "player": 2, "host": 3}
"""Rank of each role: the higher may do what the lower may."""
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters of a key, without 0 O 1 I L: it is read aloud and typed on a phone."""
LONG_KEY = 16
"""Characters of the keys that nobody types, the host's and the camera's."""
RETIRED_KEPT = 20
"""Number of former join keys that are remembered."""
ADDRESSES_KEPT = 1000
"""Number of addresses whose wrong keys are remembered."""


def new_key(length: int = 8) -> str:
    """A fresh key of ``length`` characters (a join key has 8) that are hard to confuse."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _long_key() -> str:
    return new_key(LONG_KEY)


@dataclass(frozen=True)
class Access:
    """Access to a table: its key for each role (``player`` is the join key), the join keys that were
    replaced, whether those without a key see the camera's pictures, and whether players get hints."""

    player: str = field(default_factory=new_key)
    host: str = field(default_factory=_long_key)
    camera: str = field(default_factory=_long_key)
    retired: tuple[str, ...] = ()
    spectators_see_camera: bool = True
    hints: bool = False

    def role_of(self, key: str) -> Role | None:
        """The role that a key gives; None where it is none of the table's. Takes as long for any key."""
        given = key.encode(errors="surrogatepass")
        keys: Mapping[Role, str] = {"host": self.host, "player": self.player, "camera": self.camera}
        roles = [role for role, one in keys.items() if hmac.compare_digest(given, one.encode())]
        return roles[0] if roles else None

    def with_new_key(self) -> Access:
        """The same with another join key: links with the old one open nothing any more."""
        retired = (*self.retired, self.player)[-RETIRED_KEPT:]
        return replace(self, player=new_key(), retired=retired)

    def to_json(self) -> dict[str, Any]:
        """The access as a table's log keeps it."""
        return {
            "key": self.player,
            "host": self.host,
            "camera": self.camera,
            "retired": list(self.retired),
            "spectators_see_camera": self.spectators_see_camera,
            "hints": self.hints,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Access | None:
        """The access that an entry of the log tells; older ones tell the join key alone. None where there is
        no key in it."""
        keys = {
            role: data.get(name) for role, name in (("player", "key"), ("host", "host"), ("camera", "camera"))
        }
        known = {role: key for role, key in keys.items() if isinstance(key, str) and key}
        if "player" not in known:
            return None
        retired = data.get("retired")
        return Access(
            **known,
            retired=tuple(map(str, retired)) if isinstance(retired, list) else (),
            spectators_see_camera=data.get("spectators_see_camera") is not False,
            hints=data.get("hints") is True,
        )


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
