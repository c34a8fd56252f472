"""Keys of the tables that open a WebSocket at the hub; read again when the key ring's file changes."""

from __future__ import annotations

import hmac
import logging

from tilesight.club.credentials import Credential, CredentialError, KeyRing, Role, public_key_of

log = logging.getLogger("tilesight.club.link_keys")


class LinkKeys:
    """The valid keys of tables in a key ring."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._read: tuple[int, int] | None = None
        self._valid: tuple[Credential, ...] = ()

    def holder(self, secret: str) -> Credential | None:
        """Return the credential of the table that has this secret; None for a wrong or revoked one."""
        try:
            public = public_key_of(secret)
        except CredentialError:
            return None
        held = [one for one in self._tables() if hmac.compare_digest(one.public_key, public)]
        return held[0] if held else None

    def is_valid(self, credential: Credential) -> bool:
        """Whether a credential is not revoked."""
        return credential in self._tables()

    def _tables(self) -> tuple[Credential, ...]:
        """Return the valid credentials of tables; those read before if the file cannot be read now."""
        try:
            stat = self._ring.path.stat()
            now = (stat.st_mtime_ns, stat.st_size)
            if now != self._read:
                self._valid = tuple(one for one in self._ring.valid() if one.role is Role.TABLE)
                self._read = now
        except FileNotFoundError:
            self._valid, self._read = (), None
        except (OSError, CredentialError) as error:
            log.warning("%s", error)
        return self._valid
