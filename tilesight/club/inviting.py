"""Inviting to a club: makes keys and their invitations, applies them at the club's server, and ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.message import message_of
from tilesight.club.credentials import CredentialError, KeyRing, Role
from tilesight.club.invitation import Invitation, LinkPlace
from tilesight.club.nats_server import PORT, NatsServer, ServerError, ServerSettings
from tilesight.server.dashboard import reached_at
from web.club.invitations import KeyKind, KnownKey, NewInvitation
from web.table.refusal import Refusal

HUB_PORT = 8780
"""Port of the hub's page."""


def key_ring(folder: Path) -> KeyRing:
    """Return the key ring of a club's folder."""
    return KeyRing(folder / "keys.json")


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
    def place(self) -> LinkPlace | None:
        """Where tables reach the hub; None if it never ran and ``hub`` is not given."""
        place = LinkPlace.of(self.folder)
        if self.hub is None:
            return place
        return LinkPlace.at(self.hub) if place is None else place.reached_at(self.hub)

    def invite(self, names: Sequence[str], role: Role) -> list[Invitation]:
        """Make a key for each name, all or none, and return their invitations. Raises CredentialError,
        ServerError."""
        if role is Role.HUB:
            raise CredentialError("the hub makes its own key")
        place = self.place or LinkPlace.at(f"http://127.0.0.1:{HUB_PORT}")
        link = role is Role.TABLE and self.nats is None
        server, fingerprint = (place.server, place.fingerprint) if link else self._nats_server()
        made = self.ring.create_all(names, role)
        self.apply()
        return [
            Invitation(place.hub, server, role, one.name, seed, fingerprint, link=link) for one, seed in made
        ]

    def _nats_server(self) -> tuple[str, str | None]:
        """Return the NATS server's host and port as others reach it, and its certificate's fingerprint."""
        settings = self.settings
        host, port = ("127.0.0.1", PORT) if settings is None else (reached_at(settings.host), settings.port)
        certificate = settings.certificate if settings is not None else None
        fingerprint = None if certificate is None else certificate.fingerprint.replace(":", "")
        return self.nats or f"{host}:{port}", fingerprint

    def revoke(self, name: str, role: Role) -> bool:
        """End a key. Return whether the hub, which cuts its holder off, is running. Raises CredentialError,
        ServerError."""
        self.ring.revoke(name, role)
        return self.apply()

    def apply(self) -> bool:
        """Apply the keys at the NATS server, if there is one; the hub itself reads them again. Return True if
        either runs."""
        settings, place = self.settings, self.place
        if settings is not None and (server := NatsServer(settings)).monitored() is not None:
            server.apply(self.ring.valid())
            return True
        return place is not None and place.answers()


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
