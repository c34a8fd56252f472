"""Accounts of a club's hosts and referees: the interface that the hub's application uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from web.club.rights import Role

PASSWORD_LENGTHS = (10, 200)
"""Minimum and maximum length of a password, in characters."""
ACCOUNT_NAME_LENGTH = 30
"""Maximum length of an account's name, in characters."""
SESSION_S = 12 * 3600
"""Lifetime of a session, in seconds."""


@dataclass(frozen=True, slots=True)
class Account:
    """Account of a host or referee. ``made_s`` is when it was created, in seconds since 1970."""

    name: str
    role: Role
    made_s: float


@dataclass(frozen=True, slots=True)
class Act:
    """A change made through the hub.

    ``at_s`` is its time in seconds since 1970, ``table`` the table ("" if none), ``path`` the path of the
    request. ``account`` is the name of the account, None for the hub's key, "" for a table's own key.
    """

    at_s: float
    account: str | None
    table: str
    path: str


class Accounts(Protocol):
    """The accounts of a club. Methods may be called from any thread."""

    def login(self, name: str, password: str) -> tuple[Account, str] | None:
        """Check a password.

        Return the account and a token for a new session; None if name or password is wrong.
        """

    def account_of(self, token: str) -> Account | None:
        """Return the account whose session has this token; None for an unknown or expired session."""

    def log_out(self, name: str) -> None:
        """End all sessions of an account."""

    def all(self) -> Sequence[Account]:
        """Return all accounts, sorted by name."""

    def add(self, name: str, role: Role, password: str) -> None:
        """Create an account. Raises Refusal if name or password are not allowed, or the name is taken."""

    def remove(self, name: str) -> None:
        """Delete an account and end its sessions. Raises Refusal if there is none of that name."""

    def note(self, account: str | None, table: str, path: str) -> None:
        """Record a change in the log: its account, table and request path (see `Act`)."""

    def acts(self) -> Sequence[Act]:
        """Return the latest changes, newest first."""
