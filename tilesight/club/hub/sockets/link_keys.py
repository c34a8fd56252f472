"""Keys that open a WebSocket at the hub: read again when the key ring's file changes, or lent."""

from __future__ import annotations

import logging

from tilesight.club.credentials import Credential, CredentialError, KeyRing, digest

log = logging.getLogger("tilesight.club.link_keys")


class LinkKeys:
    """The valid keys of a key ring, and those of tables that workers run now; by their SHA-256, so that the
    time of a search says nothing of a key."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._read: tuple[int, int] | None = None
        self._valid: dict[str, Credential] = {}
        self._lent: dict[str, Credential] = {}

    def holder(self, key: str) -> Credential | None:
        """Return the credential of a key's holder; None for a wrong or revoked one."""
        return self._found(digest(key))

    def is_valid(self, credential: Credential) -> bool:
        """Whether a credential is not revoked."""
        return self._found(credential.key_sha256) == credential

    def lend(self, credential: Credential) -> None:
        """Make the credential of a table that a worker runs valid, until `take_back`."""
        self._lent[credential.key_sha256] = credential

    def take_back(self, credential: Credential) -> None:
        """End the credential of a table that a worker ran."""
        self._lent.pop(credential.key_sha256, None)

    def _found(self, key_sha256: str) -> Credential | None:
        """Return a valid credential; one of those read before if the file cannot be read now."""
        try:
            stat = self._ring.path.stat()
            now = (stat.st_mtime_ns, stat.st_size)
            if now != self._read:
                self._valid = {one.key_sha256: one for one in self._ring.valid()}
                self._read = now
        except FileNotFoundError:
            self._valid, self._read = {}, None
        except (OSError, CredentialError) as error:
            log.warning("%s", error)
        return self._valid.get(key_sha256) or self._lent.get(key_sha256)
