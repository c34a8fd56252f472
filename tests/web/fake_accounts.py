"""Accounts of a club in memory, with passwords as they are."""

from __future__ import annotations

from collections.abc import Sequence

from engine.message import Message
from web.club.accounts import Account, Act
from web.club.rights import Role
from web.table.refusal import Refusal

PASSWORD = "a long password"


class FakeAccounts:
    """The host Hana and the referee Rob with the same password."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Account, str]] = {}
        self._sessions: dict[str, str] = {}
        self._acts: list[Act] = []
        self.add("Hana", "host", PASSWORD)
        self.add("Rob", "referee", PASSWORD)

    def login(self, name: str, password: str) -> tuple[Account, str] | None:
        account, kept = self._known.get(name, (None, ""))
        if account is None or password != kept:
            return None
        token = f"{name}-{len(self._sessions)}"
        self._sessions[token] = name
        return account, token

    def account_of(self, token: str) -> Account | None:
        return self._known.get(self._sessions.get(token, ""), (None, ""))[0]

    def log_out(self, name: str) -> None:
        self._sessions = {token: one for token, one in self._sessions.items() if one != name}

    def all(self) -> Sequence[Account]:
        return [account for account, _ in self._known.values()]

    def add(self, name: str, role: Role, password: str) -> None:
        if name in self._known:
            raise Refusal("account_there", Message("there is an account of that name already"))
        self._known[name] = (Account(name, role, 1.0), password)

    def remove(self, name: str) -> None:
        if self._known.pop(name, None) is None:
            raise Refusal("unknown_account", Message("there is no account of that name"))
        self.log_out(name)

    def note(self, account: str | None, table: str, path: str) -> None:
        self._acts.insert(0, Act(1.0, account, table, path))

    def acts(self) -> Sequence[Act]:
        return self._acts
