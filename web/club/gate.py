"""Authorisation at the hub: identifies the caller of each request, checks their right, and limits rates.

A browser with a session cookie must also send the header ``X-Table-Key: login``. Other sites cannot set that
header, so the cookie alone gives no right (protection against CSRF).
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Header, Request

from engine.message import Message
from web.club.accounts import Account, Accounts
from web.club.rights import Right, Role, may, rule_of
from web.limits.addresses import client_of
from web.limits.errors import ApiError
from web.limits.keys import KeyGuard, note_key
from web.limits.rates import RateLimiter

log = logging.getLogger("tilesight.web.club")

COOKIE = "tilesight-club"
"""Name of the session cookie."""
SESSION_KEY = "login"
"""Value of the key header that selects the cookie's session. It is too short to be a key."""
READS = (300, 0.02)
"""Rate of expensive reads per client: burst, and seconds per further request. All devices in a hall may
share one address."""
CHANGES = (40, 0.5)
"""Rate of changes per account: burst, and seconds per further request."""
LOGINS = (10, 6.0)
"""Rate of logins per client: burst, and seconds per further request."""
LOGINS_OF_A_NAME = (5, 1.0, 10.0)
"""Rate of logins per account name: burst, seconds per further request, and the longest wait in seconds.
Logins are slowed down instead of blocked, so that guessing at a name does not lock its owner out."""
PLAYERS = ""
"""Account name in the log for changes made with a table's own key."""
HASHES_AT_ONCE = 2
"""Number of passwords that are hashed in parallel. Each needs one core and 64 MiB."""
HASHES_WAITING = 20
"""Maximum number of logins that wait for password hashing."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    It is an account, or the holder of the hub's key or of a table's own key (``name`` None).
    """

    name: str | None
    role: Role | Literal["player"]


class Gate:
    """Authorisation and rate limits of one hub application."""

    def __init__(self, guard: KeyGuard, accounts: Accounts, own_key: Callable[[str], str | None]) -> None:
        """``own_key(table)`` returns the key that opens that table only, or None if it has none."""
        self.accounts = accounts
        self._guard = guard
        self._own_key = own_key
        self._reads, self._changes = RateLimiter(*READS), RateLimiter(*CHANGES)
        self._logins_by_address, self._logins_by_name = RateLimiter(*LOGINS), RateLimiter(*LOGINS_OF_A_NAME)
        self._hashing = CapacityLimiter(HASHES_AT_ONCE)

    async def admit(self, request: Request, key: str | None) -> Caller | None:
        """Check a request against the rule of its route and return its caller.

        Return None for routes that are open to everybody. Raises ApiError 403 (missing or insufficient right)
        or 429 (too many requests).
        """
        rule = rule_of(request.method, request.scope["route"].path)
        if rule.costly:
            self._reads.take(_client(request))
        if rule.right == "everybody":
            return None
        caller = await self.identify(request, key, request.path_params.get("table"))
        if caller is None and key == SESSION_KEY:
            raise ApiError(403, "session_over", Message("this session is over, log in again"))
        if caller is None:
            raise ApiError(403, "key_missing", Message("log in or use the hub's key to do that"))
        note_key(request.scope)
        require(caller, rule.right)
        if request.method != "GET" and rule.counted:
            self._changes.take(caller.name or _client(request))
        return caller

    async def identify(self, request: Request, key: str | None, table: str | None = None) -> Caller | None:
        """Return the caller that ``key`` identifies; None without a key or if the session has expired.

        A table's own key is accepted if ``table`` is that table. Raises ApiError 403 for a wrong key,
        429 after too many.
        """
        if not key:
            return None
        if key == SESSION_KEY:
            token = request.cookies.get(COOKIE, "")
            account = await to_thread.run_sync(self.accounts.account_of, token)
            return None if account is None else Caller(account.name, account.role)
        if table is not None and self._is_own_key(table, key):
            return Caller(None, "player")
        self._guard.check(key, _address(request))
        return Caller(None, "host")

    async def is_holder(self, request: Request, key: str | None) -> bool:
        """Whether ``key`` is the hub's key, or "login" with the cookie of a session that has not ended.

        A wrong key raises nothing and is not counted.
        """
        if key == SESSION_KEY:
            return await self.identify(request, key) is not None
        return key is not None and self._guard.knows(key)

    async def log_in(self, request: Request, name: str, password: str) -> tuple[Account, str]:
        """Check a password.

        Return the account and a token for a new session. Raises ApiError 403 (wrong name or password)
        or 429 (too many logins).
        """
        self._logins_by_address.take(_client(request))
        if self._hashing.statistics().tasks_waiting >= HASHES_WAITING:
            raise ApiError(429, "too_often", Message("too many log in, try again"), {"Retry-After": "5"})
        meant = "".join(unicodedata.normalize("NFC", name).split()).casefold()
        await asyncio.sleep(self._logins_by_name.take(meant))
        found = await to_thread.run_sync(self.accounts.login, name, password, limiter=self._hashing)
        if found is None:
            raise ApiError(403, "wrong_password", Message("no account has this name and password"))
        return found

    async def log_out(self, request: Request, key: str | None) -> None:
        """End the sessions of the caller's account, if it has one. Raises ApiError 403 or 429."""
        caller = await self.identify(request, key)
        if caller is not None and caller.name is not None:
            await to_thread.run_sync(self.accounts.log_out, caller.name)

    def _is_own_key(self, table: str, key: str) -> bool:
        """Whether ``key`` is the table's own key.

        Wrong keys need no rate limit here: the key is too long to guess.
        """
        own = self._own_key(table)
        return own is not None and hmac.compare_digest(key.encode(errors="replace"), own.encode())

    def note(self, caller: Caller, table: str, path: str) -> None:
        """Record in the log that a caller changed something at a table ("" if none).

        A failure is logged and not raised, because the change itself is already done.
        """
        try:
            self.accounts.note(caller.name if caller.role != "player" else PLAYERS, table, path)
        except Exception:
            log.exception("%s by %s is not noted", path, caller.name or "a key")


def require(caller: Caller, right: Right) -> None:
    """Raise ApiError 403 if the caller lacks this right."""
    if not may(caller.role, right):
        raise ApiError(403, "not_allowed", Message("only a {role} may do that", role=str(right)))


Key = Annotated[str | None, Header(alias="X-Table-Key", max_length=200)]
"""Route parameter: the key header, if given."""


async def authorize(request: Request, x_table_key: Key = None) -> None:
    """FastAPI dependency of every route: check the request and store its caller in ``request.state.caller``.

    Raises ApiError 403 or 429.
    """
    gate: Gate = request.app.state.gate
    request.state.caller = await gate.admit(request, x_table_key)


def log_change(request: Request) -> Iterator[None]:
    """FastAPI dependency: after a successful change, record it with its caller in the log."""
    yield
    if request.method != "GET":
        request.app.state.gate.note(request.state.caller, "", request.url.path)


async def _gate(request: Request) -> Gate:
    """FastAPI dependency: return the application's gate."""
    gate: Gate = request.app.state.gate
    return gate


async def _caller(request: Request) -> Caller | None:
    """FastAPI dependency: return the caller that `authorize` found."""
    caller: Caller | None = request.state.caller
    return caller


GateDep = Annotated[Gate, Depends(_gate)]
"""Route parameter: the application's gate."""
CallerDep = Annotated[Caller, Depends(_caller)]
"""Route parameter: the caller. Only for routes that need a right."""


def _address(request: Request) -> str:
    """Return the client's IP address, "" if unknown."""
    return request.client.host if request.client else ""


def _client(request: Request) -> str:
    """Return the client's identifier for rate limits."""
    return client_of(_address(request))
