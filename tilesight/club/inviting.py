"""Inviting to a club: makes keys and their invitations, applies them at the club's server, and ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.message import message_of
from tilesight.club.credentials import CredentialError, KeyRing, Role
from tilesight.club.invitation import Invitation
from tilesight.club.nats_server import PORT, NatsServer, ServerError, ServerSettings
from tilesight.home import write_privately
from tilesight.server.dashboard import reached_at
from web.club.invitations import KeyKind, KnownKey, NewInvitation
from web.table.refusal import Refusal

HUB_PORT = 8780
"""Port of the hub's page."""
PAGE_FILE = "page.url"
"""File in the club's folder with the address of the hub's page, as others reach it."""


def key_ring(folder: Path) -> KeyRing:
    """Return the key ring of a club's folder."""
    return KeyRing(folder / "keys.json")


def keep_page_address(folder: Path, url: str) -> None:
    """Store the address of the hub's page for invitations that are made later."""
    write_privately(folder / PAGE_FILE, url.rstrip("/"))


def numbered(name: str, count: int) -> list[str]:
    """Return ``count`` names: the name with the numbers from 1."""
    return [f"{name}-{number}" for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class Inviter:
    """Makes and ends the keys in a club's ``folder``.

    ``hub`` and ``nats`` are the addresses of the hub's page and of the NATS server as others reach them; None
    for those with which the hub of this folder was started last.
    """

    folder: Path
    hub: str | None = None
    nats: str | None = None

    @property
    def ring(self) -> KeyRing:
        """The club's key ring."""
        return key_ring(self.folder)

    @property
    def settings(self) -> ServerSettings | None:
        """The settings of the club's NATS server; None if it was never started."""
        return ServerSettings.of(self.folder)

    @property
    def page(self) -> str:
        """The address of the hub's page."""
        if self.hub is not None:
            return self.hub.rstrip("/")
        try:
            return (self.folder / PAGE_FILE).read_text("utf-8").strip()
        except OSError:
            return f"http://127.0.0.1:{HUB_PORT}"

    def invite(self, names: Sequence[str], role: Role) -> list[Invitation]:
        """Make a key for each name, all or none, and return their invitations. Raises CredentialError,
        ServerError."""
        if role is Role.HUB:
            raise CredentialError("the hub makes its own key")
        settings = self.settings
        host, port = ("127.0.0.1", PORT) if settings is None else (reached_at(settings.host), settings.port)
        server = self.nats or f"{host}:{port}"
        certificate = settings.certificate if settings is not None else None
        fingerprint = None if certificate is None else certificate.fingerprint.replace(":", "")
        page, made = self.page, self.ring.create_all(names, role)
        self.apply()
        return [Invitation(page, server, role, one.name, seed, fingerprint) for one, seed in made]

    def revoke(self, name: str, role: Role) -> bool:
        """End a key. Return whether the server, which cuts its holder off, is running. Raises
        CredentialError, ServerError."""
        self.ring.revoke(name, role)
        return self.apply()

    def apply(self) -> bool:
        """Apply the keys at the server. Return True if it is running."""
        if (settings := self.settings) is None:
            return False
        server = NatsServer(settings)
        if server.monitored() is None:
            return False
        server.apply(self.ring.valid())
        return True


class PageInvitations:
    """The invitations of a hub, for its page (web.club.invitations.Invitations)."""

    def __init__(self, inviter: Inviter) -> None:
        self._inviter = inviter

    def valid(self) -> Sequence[KnownKey]:
        """Return the valid keys of tables and workers."""
        with _refusing():
            known = self._inviter.ring.valid()
        return [KnownKey(one.name, kind, one.created_s) for one in known if (kind := _kind(one.role))]

    def invite(self, names: Sequence[str], kind: KeyKind) -> Sequence[NewInvitation]:
        """Make a key for each name, all or none. Raises Refusal."""
        with _refusing():
            made = self._inviter.invite(names, Role(kind))
        return [NewInvitation(one.name, kind, one.url) for one in made]

    def revoke(self, name: str, kind: KeyKind) -> None:
        """End a key. Raises Refusal."""
        with _refusing():
            self._inviter.revoke(name, Role(kind))


def _kind(role: Role) -> KeyKind | None:
    """Return what the page calls a key; None for one that it does not show."""
    return "table" if role is Role.TABLE else "worker" if role is Role.WORKER else None


@contextmanager
def _refusing() -> Iterator[None]:
    """Translate errors to Refusal."""
    try:
        yield
    except (CredentialError, ServerError) as error:
        raise Refusal("invitation", message_of(error)) from None
