"""Inviting to a club: makes keys and their invitations, and ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.message import message_of
from tilesight.club.credentials import CredentialError, KeyRing, Role
from tilesight.club.invitation import Invitation, LinkPlace
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
    """Makes and ends the keys in a club's ``folder``; a running hub reads them again.

    ``hub`` is the address of the hub's page as others reach it; None for that with which the hub of this
    folder was started last.
    """

    folder: Path
    hub: str | None = None

    @property
    def ring(self) -> KeyRing:
        """The club's key ring."""
        return key_ring(self.folder)

    @property
    def place(self) -> LinkPlace | None:
        """The place at which others reach the hub; None if it never ran and ``hub`` is not given."""
        place = LinkPlace.of(self.folder)
        if self.hub is None:
            return place
        return LinkPlace.at(self.hub) if place is None else place.reached_at(self.hub)

    def runs(self) -> bool:
        """Whether the hub takes a connection."""
        return (place := self.place) is not None and place.answers()

    def invite(self, names: Sequence[str], role: Role) -> list[Invitation]:
        """Make a key for each name, all or none, and return their invitations. Raises CredentialError."""
        at = self.place or LinkPlace.at(f"http://127.0.0.1:{HUB_PORT}")
        made = self.ring.create_all(names, role)
        return [Invitation(at.hub, at.server, role, one.name, key, at.fingerprint) for one, key in made]


class PageInvitations:
    """The invitations of a hub, for its page (web.club.invitations.Invitations)."""

    def __init__(self, inviter: Inviter) -> None:
        self._inviter = inviter

    def valid(self) -> Sequence[KnownKey]:
        """Return the valid keys of tables and workers."""
        with _refusing():
            known = self._inviter.ring.valid()
        return [KnownKey(one.name, _kind(one.role), one.created_s) for one in known]

    def invite(self, names: Sequence[str], kind: KeyKind) -> Sequence[NewInvitation]:
        """Make a key for each name, all or none. Raises Refusal."""
        with _refusing():
            made = self._inviter.invite(names, Role(kind))
        return [NewInvitation(one.name, kind, one.url) for one in made]

    def revoke(self, name: str, kind: KeyKind) -> None:
        """End a key. Raises Refusal."""
        with _refusing():
            self._inviter.ring.revoke(name, Role(kind))


def _kind(role: Role) -> KeyKind:
    """Return what the page calls a key."""
    return "table" if role is Role.TABLE else "worker"


@contextmanager
def _refusing() -> Iterator[None]:
    """Translate errors to Refusal."""
    try:
        yield
    except CredentialError as error:
        raise Refusal("invitation", message_of(error)) from None
