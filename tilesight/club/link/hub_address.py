"""Address of a hub, as given by `tilesight live --hub` and `tilesight worker --hub`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tilesight.club.connection import Address
from tilesight.club.credentials import CredentialError, Role
from tilesight.club.invitation import Invitation, invitation_of
from tilesight.club.link.nats_uplink import NatsUplink
from tilesight.club.link.socket_uplink import SocketUplink
from tilesight.club.link.uplink import Uplink
from tilesight.club.subjects import table_id

OPEN_SERVER = re.compile(r"(nats://[^/@]+)/([^/]+)")
"""Address of a NATS server that asks for no credentials, with the table's id."""


@dataclass(frozen=True, slots=True)
class Hub:
    """A table's hub: its display name, a function that returns a new uplink to it, and the table's id.

    ``lent`` is true if a worker runs the table temporarily.
    """

    shown: str
    uplink: Callable[[], Uplink]
    table: str
    lent: bool = False


def hub_of(text: str) -> Hub:
    """Return the hub named by ``--hub``. Raises CredentialError or ValueError if it is invalid."""
    if found := OPEN_SERVER.fullmatch(text):
        url = found[1]

        async def without_keys() -> Address:
            return Address((url,))

        table = table_id(found[2])
        return Hub(url, partial(NatsUplink, without_keys, table), table)
    invited = invitation_of(text)
    if invited.speaks_as is None:
        raise CredentialError(f"this is the invitation of a {invited.role}, not of a table")
    if invited.link:
        return Hub(invited.hub, partial(SocketUplink, invited), invited.speaks_as)
    uplink = partial(NatsUplink, partial(address_of, invited), invited.speaks_as)
    return Hub(invited.hub, uplink, invited.speaks_as, invited.role is Role.WORKER)


async def address_of(invited: Invitation) -> Address:
    """Return the NATS server's address for an invitation's holder.

    Raises CredentialError if another server answers there, OSError if none does.
    """
    inbox = f"_INBOX.{invited.role}.{invited.name}"
    return Address((invited.nats_url,), invited.seed, inbox, await invited.tls())
