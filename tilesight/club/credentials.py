"""Credentials of a club: an nkey for each table, worker, referee and hub, with its permissions.

An nkey is an Ed25519 key pair. The server keeps public keys; the seed of the private key leaves the hub once,
in the invitation, and is stored nowhere else. Spectators have none, because they never connect to the NATS
server.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import nkeys

from engine.message import Message
from tilesight.club.subjects import LEASES, PHONE_TABLES, STREAM
from tilesight.home import write_privately
from tilesight.table_log.table_lock import TableLock

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
"""Names of tables, workers and referees: one token of a NATS subject."""
FORMAT = 1
"""Version of the key ring's file."""
LOCK_S = 5.0
"""Time that a change waits for another process that changes the same key ring."""
TOLD = ("log.*", "preview", "status")
"""Subjects of what a table tells, after its name."""


class CredentialError(ValueError):
    """A credential cannot be created, found or read; the message is one line."""


class Role(StrEnum):
    """Role of a credential's holder, which determines its permissions."""

    TABLE = "table"
    WORKER = "worker"
    REFEREE = "referee"
    HUB = "hub"


@dataclass(frozen=True, slots=True)
class Credential:
    """One holder's public key; ``created_s`` and ``revoked_s`` are seconds since 1970."""

    name: str
    role: Role
    public_key: str
    created_s: float
    revoked_s: float | None = None

    @property
    def inbox(self) -> str:
        """The prefix of subjects on which only this holder receives replies."""
        return f"_INBOX.{self.role}.{self.name}"


class KeyRing:
    """The club's public keys in one file; a lock serialises changes by several processes."""

    def __init__(self, path: Path) -> None:
        """The key ring kept in ``path``, which need not exist yet."""
        self.path = path

    def all(self) -> tuple[Credential, ...]:
        """Return every credential ever created, including revoked ones. Raises CredentialError if the file
        is damaged."""
        try:
            told = json.loads(self.path.read_text("utf-8"))
            return tuple(Credential(**{**one, "role": Role(one["role"])}) for one in told["keys"])
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CredentialError(f"{self.path}: the club's keys cannot be read ({error})") from None

    def valid(self) -> tuple[Credential, ...]:
        """Return the credentials that are not revoked."""
        return tuple(one for one in self.all() if one.revoked_s is None)

    def create(self, name: str, role: Role) -> tuple[Credential, str]:
        """Create a credential and return it with its seed, which is not stored.

        Raises CredentialError if the name is invalid, or taken in this role.
        """
        return self.create_all([name], role)[0]

    def create_all(self, names: Sequence[str], role: Role) -> list[tuple[Credential, str]]:
        """Create a credential for each name, all or none, and return them with their seeds, which are not
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
                seed, public_key = new_key()
                made.append((Credential(name, role, public_key, time.time()), seed))
            self._write((*known, *(one for one, _ in made)))
        return made

    def revoke(self, name: str, role: Role) -> Credential:
        """Revoke a credential; this takes effect at the server when its configuration is rewritten."""
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


def new_key() -> tuple[str, str]:
    """Return a new user's seed and public key."""
    seed = nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER).decode("ascii")
    return seed, public_key_of(seed)


def public_key_of(seed: str) -> str:
    """Return the public key of a seed. Raises CredentialError if the seed is invalid."""
    try:
        raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        # The library itself does not look at the checksum: a seed copied wrongly would be another key.
        if not seed.startswith("SU") or nkeys.crc16_checksum(bytearray(raw[:-2])) != raw[-2:]:
            raise ValueError
        return str(nkeys.from_seed(bytearray(seed.encode("ascii"))).public_key.decode("ascii"))
    except (nkeys.NkeysError, ValueError, UnicodeError):
        raise CredentialError("this is no seed of a key") from None


def hub_seed(folder: Path, ring: KeyRing) -> str:
    """Return the hub's own seed from ``folder``, readable only by its owner; create it with its credential
    if missing."""
    path = folder / "hub.seed"
    try:
        seed = path.read_text("ascii").strip()
        if any(one.public_key == public_key_of(seed) for one in ring.valid()):
            return seed
    except (FileNotFoundError, CredentialError):
        pass
    if any((one.name, one.role) == ("hub", Role.HUB) for one in ring.valid()):
        ring.revoke("hub", Role.HUB)  # its seed is lost
    _, seed = ring.create("hub", Role.HUB)
    write_privately(path, seed)
    return seed


def permissions(credential: Credential) -> Mapping[str, Any]:
    """Return the subjects that a credential's holder may publish and subscribe to, as in the server's
    configuration.

    All others are denied.
    """
    name, inbox = credential.name, f"{credential.inbox}.>"
    if credential.role is Role.HUB:
        return {"publish": {"allow": [">"]}, "subscribe": {"allow": [">"]}}
    if credential.role is Role.TABLE:
        publish = [
            *(f"table.{name}.{what}" for what in TOLD),
            # The last entry of its own logs, and of nobody else's.
            f"$JS.API.DIRECT.GET.{STREAM}.table.{name}.log.*",
        ]
        subscribe = [f"table.{name}.command", inbox]
    elif credential.role is Role.WORKER:
        publish = [
            *(f"table.*.{what}" for what in TOLD),
            # Any entry of a log, to go on from; who has which table; which tables there are.
            *(f"$JS.API.DIRECT.GET.{STREAM}", f"$JS.API.DIRECT.GET.{STREAM}.table.*.log.*"),
            *(f"$JS.API.STREAM.INFO.KV_{bucket}" for bucket in (LEASES, PHONE_TABLES)),
            *(f"$JS.API.DIRECT.GET.KV_{bucket}.$KV.{bucket}.*" for bucket in (LEASES, PHONE_TABLES)),
            f"$KV.{LEASES}.*",
        ]
        subscribe = ["table.*.command", "table.*.frame", inbox]
    else:
        publish = ["table.*.command"]
        subscribe = [*(f"table.*.{what}" for what in TOLD), inbox]
    # A reply goes to the requester, once, and only within the time limit.
    answers = {"max": 1, "expires": "1m"}
    return {"publish": {"allow": publish}, "subscribe": {"allow": subscribe}, "allow_responses": answers}
