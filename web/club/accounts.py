"""Accounts of a club's hosts and referees, as the hub's application sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from web.club.rights import Role

PASSWORD_LENGTHS = (10, 200)
"""Characters of a password, at least and at most."""
NAME_LENGTH = 30
"""Characters of an account's name at most."""
SESSION_S = 12 * 3600
"""Seconds for which somebody who logged in stays so."""


@dataclass(frozen=True, slots=True)
class Account:
    """Account of a host or referee; ``made_s`` is seconds since 1970."""

    name: str
    role: Role
    made_s: float


@dataclass(frozen=True, slots=True)
class Act:
    """Something done from the hub: when (seconds since 1970), by which account (None: the hub's key;
    "": the table's own), at which table ("" at none), and the path of the request."""

    at_s: float
    account: str | None
    table: str
    path: str


class Accounts(Protocol):
    """The accounts of a club. Methods may be called from any thread."""

    def login(self, name: str, password: str) -> tuple[Account, str] | None:
        """The account with a token for its session; None where name and password do not belong together."""

    def account_of(self, token: str) -> Account | None:
        """The account whose session a token stands for; None where it is over."""

    def log_out(self, name: str) -> None:
        """End every session of an account."""

    def all(self) -> Sequence[Account]:
        """All accounts, by name."""

    def add(self, name: str, role: Role, password: str) -> None:
        """Make an account. Raises Refusal."""

    def remove(self, name: str) -> None:
        """Remove an account and end its sessions. Raises Refusal."""

    def note(self, account: str | None, table: str, path: str) -> None:
        """Keep that something was done."""

    def acts(self) -> Sequence[Act]:
        """The latest acts, newest first."""
