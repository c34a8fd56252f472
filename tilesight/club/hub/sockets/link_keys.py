"""Keys that open a WebSocket at the hub: read again when the key ring's file changes, or lent."""

from __future__ import annotations

import hmac
import logging

from tilesight.club.credentials import Credential, CredentialError, KeyRing, digest

log = logging.getLogger("tilesight.club.link_keys")


class LinkKeys:
    """The valid keys of a key ring, and those of tables that workers run now."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._read: tuple[int, int] | None = None
        self._valid: tuple[Credential, ...] = ()
        self._lent: dict[str, Credential] = {}

    def holder(self, key: str) -> Credential | None:
        """Return the credential of a key's holder; None for a wrong or revoked one."""
        told = digest(key)
        return next((one for one in self._all() if hmac.compare_digest(one.key_sha256, told)), None)

    def is_valid(self, credential: Credential) -> bool:
        """Whether a credential is not revoked."""
        return credential in self._all()

    def lend(self, credential: Credential) -> None:
        """Make the credential of a table that a worker runs valid, until `take_back`."""
        self._lent[credential.name] = credential

    def take_back(self, table: str) -> None:
        """End the credential of a table that a worker ran."""
        self._lent.pop(table, None)

    def _all(self) -> tuple[Credential, ...]:
        """Return the valid credentials; those read before if the file cannot be read now."""
        try:
            stat = self._ring.path.stat()
            now = (stat.st_mtime_ns, stat.st_size)
            if now != self._read:
                self._valid = self._ring.valid()
                self._read = now
        except FileNotFoundError:
            self._valid, self._read = (), None
        except (OSError, CredentialError) as error:
            log.warning("%s", error)
        return (*self._valid, *self._lent.values())
