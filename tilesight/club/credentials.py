"""Credentials of a club: a random key for each table and worker.

The hub keeps each key's SHA-256; the key itself leaves it once, in the invitation, and is stored nowhere
else. Spectators and referees have none: they use the hub's page.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from engine.message import Message
from tilesight.home import write_privately
from tilesight.table_log.table_lock import TableLock
from web.table.access import new_key

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""Names of tables and workers."""
FORMAT = 2
"""Version of the key ring's file."""
KEY_LENGTH = 26
"""Characters of a key: 128 bits."""
LOCK_S = 5.0
"""Time that a change waits for another process that changes the same key ring."""


class CredentialError(ValueError):
    """A credential cannot be created, found or read; the message is one line."""


class Role(StrEnum):
    """Role of a credential's holder."""

    TABLE = "table"
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class Credential:
    """One holder's key by its SHA-256; ``created_s`` and ``revoked_s`` are seconds since 1970."""

    name: str
    role: Role
    key_sha256: str
    created_s: float
    revoked_s: float | None = None


class KeyRing:
    """The club's credentials in one file; a lock serialises changes by several processes."""

    def __init__(self, path: Path) -> None:
        """The key ring kept in ``path``, which need not exist yet."""
        self.path = path

    def all(self) -> tuple[Credential, ...]:
        """Return every credential ever created, including revoked ones, but none of an earlier format. Raises
        CredentialError if the file is damaged."""
        try:
            told = json.loads(self.path.read_text("utf-8"))
            if told["tilesight"] < FORMAT:
                return ()
            return tuple(Credential(**{**one, "role": Role(one["role"])}) for one in told["keys"])
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CredentialError(f"{self.path}: the club's keys cannot be read ({error})") from None

    def valid(self) -> tuple[Credential, ...]:
        """Return the credentials that are not revoked."""
        return tuple(one for one in self.all() if one.revoked_s is None)

    def create(self, name: str, role: Role) -> tuple[Credential, str]:
        """Create a credential and return it with its key, which is not stored.

        Raises CredentialError if the name is invalid, or taken in this role.
        """
        return self.create_all([name], role)[0]

    def create_all(self, names: Sequence[str], role: Role) -> list[tuple[Credential, str]]:
        """Create a credential for each name, all or none, and return them with their keys, which are not
        stored.

        Raises CredentialError if a name is invalid, given twice, or taken in this role.
        """
        with self._changing():
            known = self.all()
            taken = {one.name for one in known if one.role is role and one.revoked_s is None}
            made: list[tuple[Credential, str]] = []
            for name in names:
                if not NAME.fullmatch(name):
                    raise CredentialError(
                        Message(
                            "'{name}' is no name: up to 32 small letters, digits and hyphens, "
                            "a hyphen not first",
                            name=name,
                        )
                    )
                if name in taken:
                    message = Message("there is a key for '{name}' already: revoke it first", name=name)
                    raise CredentialError(message)
                taken.add(name)
                made.append(new_credential(name, role))
            self._write((*known, *(one for one, _ in made)))
        return made

    def revoke(self, name: str, role: Role) -> Credential:
        """Revoke a credential; a running hub cuts its holder off."""
        with self._changing():
            known = self.all()
            for n, one in enumerate(known):
                if (one.name, one.role, one.revoked_s) == (name, role, None):
                    ended = replace(one, revoked_s=time.time())
                    self._write((*known[:n], ended, *known[n + 1 :]))
                    return ended
        raise CredentialError(f"there is no {role} '{name}'")

    def _changing(self) -> TableLock:
        """Lock the file for a change."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        until = time.monotonic() + LOCK_S
        while True:
            try:
                return TableLock(self.path)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise CredentialError(f"{self.path}: another process changes it") from None
                time.sleep(0.05)

    def _write(self, credentials: tuple[Credential, ...]) -> None:
        """Replace the file."""
        told = {"tilesight": FORMAT, "keys": [asdict(one) for one in credentials]}
        write_privately(self.path, json.dumps(told, indent=1))


def new_credential(name: str, role: Role) -> tuple[Credential, str]:
    """Return a new credential with its key."""
    key = new_key(KEY_LENGTH)
    return Credential(name, role, digest(key), time.time()), key


def digest(key: str) -> str:
    """Return the SHA-256 of a key, by which it is known again."""
    return hashlib.sha256(key.encode()).hexdigest()
