"""Invitation to a club: one line (also a QR code) with everything that a table or worker needs.

It is an address of the hub's page. Its secret part follows the '#', which browsers do not send.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import socket
import ssl
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from tilesight.club.credentials import NAME, CredentialError, Role
from tilesight.club.log_ids import WORD
from tilesight.home import write_privately

KEY = re.compile(r"[A-Za-z0-9_-]{16,100}")
"""The key of a table or worker."""
FINGERPRINT = re.compile(r"[0-9A-F]{64}")
"""A certificate's SHA-256 fingerprint without colons."""
NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, for which Python has no name."""
LINK = "link.json"
"""Name of the file that says where tables and workers reach the hub."""
WITHIN_S = 2.0
"""Seconds within which a hub's server takes a connection."""
CERTIFIED = "tilesight-club"
"""Name in the club's certificate; a table asks the hub's HTTPS port for it by this name."""
TIMEOUT_S = 5.0
"""Time for the server to show its certificate."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """Address of a club's hub, and one credential's name and key."""

    hub: str
    """The hub's page, such as `https://192.168.1.5:8780`."""
    server: str
    """Host and port of the hub's WebSocket."""
    role: Role
    name: str
    key: str
    fingerprint: str | None = None
    """That of the server's certificate; None for a server of this computer, without TLS."""
    sees_for: str | None = None
    """The table that a worker runs, with the key of its assignment."""

    @property
    def url(self) -> str:
        """The invitation as one line."""
        told = {"link": self.server, self.role.value: self.name, "key": self.key}
        if self.fingerprint is not None:
            told["cert"] = self.fingerprint.replace(":", "")
        if self.sees_for is not None:
            told["for"] = self.sees_for
        return f"{self.hub}/join#{urlencode(told, safe=':', quote_via=quote)}"

    @property
    def speaks_as(self) -> str | None:
        """The id of the table that its holder publishes as; None if it is not a table's."""
        return self.name if self.role is Role.TABLE else self.sees_for

    @property
    def link_url(self) -> str:
        """The address of the hub's WebSocket for a client."""
        secure = self.fingerprint is not None or self.hub.startswith("https:")
        return f"{'wss' if secure else 'ws'}://{self.server}/link"

    async def tls(self) -> ssl.SSLContext | None:
        """Return a TLS context that trusts only this server; None without a certificate's fingerprint.

        Raises CredentialError if the server has another certificate, OSError if it does not answer.
        """
        return None if self.fingerprint is None else await pinned(self.server, self.fingerprint)


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """Place of a hub for tables and workers: its page, host and port of its WebSocket, and the fingerprint of
    the club's certificate there (None: the page's own scheme says whether it is encrypted)."""

    hub: str
    server: str
    fingerprint: str | None = None

    @classmethod
    def at(cls, hub: str) -> LinkPlace:
        """Return the place at a page's own address. Raises CredentialError if it is no address."""
        try:
            parts = urlsplit(hub)
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
            if not parts.hostname:
                raise ValueError
        except (ValueError, KeyError):
            raise CredentialError(f"{hub!r} is no address of a hub, such as http://hub.local:8780") from None
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return cls(f"{parts.scheme}://{parts.netloc}", f"{host}:{port}")

    @classmethod
    def of(cls, folder: Path) -> LinkPlace | None:
        """Return the place of the hub that ran last with a club's folder; None if there was none."""
        try:
            told = json.loads((folder / LINK).read_text("utf-8"))
            return cls(str(told["hub"]), str(told["server"]), told["fingerprint"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def reached_at(self, hub: str) -> LinkPlace:
        """Return the same place for computers that reach the hub by another address, ``hub``. Raises
        CredentialError if it is no address."""
        other = LinkPlace.at(hub)
        if self.fingerprint is None or hub.startswith("https:"):  # a proxy's own certificate
            return other
        port = self.server.rpartition(":")[2]
        return replace(self, hub=other.hub, server=f"{other.server.rpartition(':')[0]}:{port}")

    def keep(self, folder: Path) -> None:
        """Store the place in a club's folder."""
        write_privately(folder / LINK, json.dumps({"tilesight": 1, **asdict(self)}))

    def answers(self) -> bool:
        """Whether the hub takes a connection there."""
        return server_answers(self.server)


def server_answers(server: str) -> bool:
    """Whether a server (host and port) takes a connection."""
    place = urlsplit(f"//{server}")
    try:
        with socket.create_connection((str(place.hostname), int(place.port or 0)), WITHIN_S):
            return True
    except OSError:
        return False


def invitation_of(url: str) -> Invitation:
    """Parse an invitation. Raises CredentialError if it is invalid."""
    try:
        parts = urlsplit(url.strip())
        told = {key: values[-1] for key, values in parse_qs(parts.fragment, strict_parsing=True).items()}
        role = next(role for role in Role if role.value in told)
        name, server, key = told[role.value], told["link"], told["key"]
        fingerprint, sees_for = told.get("cert"), told.get("for")
        place = urlsplit(f"//{server}")
        sound = (
            NAME.fullmatch(name)
            and KEY.fullmatch(key)
            and place.hostname
            and place.port
            and (fingerprint is None or FINGERPRINT.fullmatch(fingerprint))
            and (sees_for is None or (role is Role.WORKER and WORD.fullmatch(sees_for)))
        )
        if not (parts.scheme in ("http", "https") and parts.netloc and parts.path == "/join" and sound):
            raise ValueError
    except (ValueError, KeyError, StopIteration):
        raise CredentialError("this is no invitation to a club, or a part of it is missing") from None
    hub = f"{parts.scheme}://{parts.netloc}"
    return Invitation(hub, server, role, name, key, fingerprint, sees_for)


async def pinned(server: str, fingerprint: str) -> ssl.SSLContext:
    """Return a TLS context that trusts the one certificate with this fingerprint; it is fetched from the
    server first, by the name `CERTIFIED`.

    The club's certificate is self-signed; the invitation vouches for it.
    """
    place = urlsplit(f"//{server}")
    shown = await asyncio.wait_for(_certificate(str(place.hostname), int(place.port or 0)), TIMEOUT_S)
    if hashlib.sha256(shown).hexdigest().upper() != fingerprint.replace(":", ""):
        raise CredentialError(f"{server} is not the server of this invitation: its certificate is another")
    context = ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(shown))
    context.check_hostname = False  # the certificate is known; the machine's address may change
    # So does its end matter to nobody, nor a table's clock that was never set.
    context.verify_flags |= ssl.VerifyFlags(NO_CHECK_TIME)
    return context


async def _certificate(host: str, port: int) -> bytes:
    """Return the certificate of a server, after only the TLS handshake."""
    asking = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asking.check_hostname, asking.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(host, port, ssl=asking, server_hostname=CERTIFIED)
    try:
        tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
        shown = tls.getpeercert(binary_form=True)
    finally:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if shown is None:
        raise CredentialError(f"{host}:{port} shows no certificate")
    return shown
