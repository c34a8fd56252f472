"""Gate of the hub's application: who asks, whether they may, and how often.

Every route goes through it. Who asks says a key, or in its place that the session of the cookie counts: no
page of somebody else can send that header, so the cookie alone is worth nothing.
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

from web.club.accounts import Account, Accounts
from web.club.rights import Right, Role, may, rule_of
from web.limits.addresses import client_of
from web.limits.errors import ApiError
from web.limits.keys import KeyGuard
from web.limits.rates import RateLimiter

log = logging.getLogger("tilesight.web.club")

COOKIE = "tilesight-club"
"""Name of the cookie that holds a session."""
BY_SESSION = "login"
"""Word in the place of a key, too short for one: the session of the cookie counts."""
READS = (300, 0.02)
"""Costly reads of an address at once, and seconds until another one: a hall shares one address."""
CHANGES = (40, 0.5)
"""Changes by one account, likewise."""
LOGINS = (10, 6.0)
"""Times that one address logs in, likewise."""
LOGINS_OF_A_NAME = (5, 1.0, 10.0)
"""The same for one name, and seconds that somebody waits for it: slow, and not closed, or whoever guesses at
a name would keep its owner out."""
PLAYERS = ""
"""Account under which it is noted what a table's own players did."""
HASHES_AT_ONCE = 2
"""Passwords checked at a time: each takes a core and 64 MiB."""
HASHES_WAITING = 20
"""Passwords that wait for it at most."""


@dataclass(frozen=True, slots=True)
class Who:
    """Person or program that asks: an account, or whoever holds the hub's key or a table's own (``name``
    None)."""

    name: str | None
    role: Role | Literal["player"]


class Gate:
    """The gate of one application."""

    def __init__(self, guard: KeyGuard, accounts: Accounts, own_key: Callable[[str], str | None]) -> None:
        """``own_key`` gives the key that opens one table alone, None of a table that has none."""
        self.accounts = accounts
        self._guard = guard
        self._own_key = own_key
        self._reads, self._changes = RateLimiter(*READS), RateLimiter(*CHANGES)
        self._logins_by_address, self._logins_by_name = RateLimiter(*LOGINS), RateLimiter(*LOGINS_OF_A_NAME)
        self._hashing = CapacityLimiter(HASHES_AT_ONCE)

    async def admit(self, request: Request, key: str | None) -> Who | None:
        """Let a request in: who asks, None where everybody may. ApiError 403 or 429."""
        rule = rule_of(request.method, request.scope["route"].path)
        if rule.costly:
            self._reads.take(_client(request))
        if rule.right == "everybody":
            return None
        who = await self.who(request, key, request.path_params.get("table"))
        if who is None and key == BY_SESSION:
            raise ApiError(403, "session_over", "this session is over, log in again")
        if who is None:
            raise ApiError(403, "key_missing", "only who has logged in or has the hub's key may do that")
        require(who, rule.right)
        if request.method != "GET" and rule.counted:
            self._changes.take(who.name or _client(request))
        return who

    async def who(self, request: Request, key: str | None, table: str | None = None) -> Who | None:
        """Tell who asks, None where nobody says it or the session is over; the own key of ``table`` counts
        there. ApiError 403 or 429."""
        if not key:
            return None
        if key == BY_SESSION:
            token = request.cookies.get(COOKIE, "")
            account = await to_thread.run_sync(self.accounts.account_of, token)
            return None if account is None else Who(account.name, account.role)
        if table is not None and self._is_own_key(table, key):
            return Who(None, "player")
        self._guard.check(key, _address(request))
        return Who(None, "host")

    async def log_in(self, request: Request, name: str, password: str) -> tuple[Account, str]:
        """The account with a token for its session. ApiError 403 or 429."""
        self._logins_by_address.take(_client(request))
        if self._hashing.statistics().tasks_waiting >= HASHES_WAITING:
            raise ApiError(429, "too_often", "too many log in, try again", {"Retry-After": "5"})
        meant = "".join(unicodedata.normalize("NFC", name).split()).casefold()
        await asyncio.sleep(self._logins_by_name.take(meant))
        found = await to_thread.run_sync(self.accounts.login, name, password, limiter=self._hashing)
        if found is None:
            raise ApiError(403, "wrong_password", "no account has this name and password")
        return found

    async def log_out(self, request: Request, key: str | None) -> None:
        """End the sessions of the account that asks, if one does. ApiError 403 or 429."""
        who = await self.who(request, key)
        if who is not None and who.name is not None:
            await to_thread.run_sync(self.accounts.log_out, who.name)

    def _is_own_key(self, table: str, key: str) -> bool:
        """A key that is right is none to be guessed, being as long as a host's."""
        own = self._own_key(table)
        return own is not None and hmac.compare_digest(key.encode(errors="replace"), own.encode())

    def note(self, who: Who, table: str, path: str) -> None:
        """Keep who did something at a table ("" at none). What is done stays so where it cannot be kept."""
        try:
            self.accounts.note(who.name if who.role != "player" else PLAYERS, table, path)
        except Exception:
            log.exception("%s by %s is not noted", path, who.name or "a key")


def require(who: Who, right: Right) -> None:
    """ApiError 403 where somebody has not a right."""
    if not may(who.role, right):
        raise ApiError(403, "not_allowed", f"only a {right} may do that")


Key = Annotated[str | None, Header(alias="X-Table-Key", max_length=200)]
"""A route's parameter: the hub's key, if given."""


async def checked(request: Request, x_table_key: Key = None) -> None:
    """Dependency of every route: lets those through who may use it. Raises ApiError."""
    gate: Gate = request.app.state.gate
    request.state.who = await gate.admit(request, x_table_key)


def noted(request: Request) -> Iterator[None]:
    """Dependency of routes whose changes are kept, with who made them, once they are done."""
    yield
    if request.method != "GET":
        request.app.state.gate.note(request.state.who, "", request.url.path)


async def _gate(request: Request) -> Gate:
    gate: Gate = request.app.state.gate
    return gate


async def _who(request: Request) -> Who | None:
    who: Who | None = request.state.who
    return who


GateNow = Annotated[Gate, Depends(_gate)]
"""A route's parameter: its application's gate."""
WhoNow = Annotated[Who, Depends(_who)]
"""A parameter of a route that not everybody may use: who asks."""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _client(request: Request) -> str:
    return client_of(_address(request))
