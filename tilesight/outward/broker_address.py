"""Address of an MQTT broker: read from the command line, and shown without secrets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

PORTS = {"mqtt": 1883, "mqtts": 8883}
"""Port of each scheme; mqtts is encrypted."""
PREFIX = "tilesight"
"""Prefix of the topics of an address without a path."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Address of a broker, the prefix of the table's topics, and who connects."""

    host: str
    port: int
    prefix: str = PREFIX
    encrypted: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return the address as people may read it, without the password."""
        scheme = "mqtts" if self.encrypted else "mqtt"
        user = "" if self.user is None else "***@"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{user}{host}:{self.port}/{self.prefix}"


def broker_address(text: str, password: str | None = None) -> BrokerAddress:
    """Read ``mqtt://user@host:port/prefix``, or mqtts. ``password`` comes before one in the address.

    Raises ValueError, with one line for people that shows no part of the address.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError("it is no address") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("it begins with mqtt:// or mqtts:// and the name of a host")
    prefix = unquote(parts.path).strip("/") or PREFIX
    if parts.query or parts.fragment or re.search(r"[#+\x00-\x1f]|//", prefix) or len(prefix) > 100:
        raise ValueError("after the host comes at most a prefix of topics without + and #")
    user = unquote(parts.username) if parts.username else None
    told = None if parts.password is None else unquote(parts.password)
    secret = password if password is not None else told
    if secret is not None and user is None:
        raise ValueError("a password needs a user: mqtt://user@host")
    return BrokerAddress(
        parts.hostname, port or PORTS[parts.scheme], prefix, parts.scheme == "mqtts", user, secret
    )
