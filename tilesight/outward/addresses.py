"""Addresses of webhooks: what they may look like, and which network addresses they may reach."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

URL_LENGTH = 2000
"""Maximum length of a webhook's address, in characters."""
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv6 addresses whose last 32 bits are the IPv4 address behind a translator."""


def checked_url(text: str) -> str:
    """Return the address of a webhook in ASCII. Raises ValueError, with one line for people, if it cannot be
    one: it must be http or https, have a host, and neither user nor password."""
    if len(text) > URL_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f"it has at most {URL_LENGTH} characters, all of them ASCII, without spaces")
    try:
        parts = urlsplit(text)
        port_fits = parts.port != 0
    except ValueError:
        raise ValueError("it is no address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_fits:
        raise ValueError("it begins with http:// or https:// and the name of a host")
    if "@" in parts.netloc:
        raise ValueError("it has neither user nor password")
    return text.partition("#")[0]


def shown_url(url: str) -> str:
    """Return an address as people may read it: without path and query, which may hold secrets."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" + ("/…" if parts.path.strip("/") or parts.query else "")


def checked_network(text: str) -> Network:
    """Return a network such as 192.168.1.0/24. Raises ValueError if it is none."""
    return ipaddress.ip_network(text)


def _behind(address: IpAddress) -> Iterator[IpAddress]:
    """Yield an address, and the IPv4 addresses that are embedded in it."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        yield from filter(None, (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())))
        if address in NAT64:
            yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


def is_reachable(text: str, allowed: Iterable[Network] = ()) -> bool:
    """Whether webhooks may connect to a network address: a public one, or one in an ``allowed`` network."""
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    if any((mapped or address) in network for network in allowed):
        return True
    # Not global: private, loopback, link-local, shared (100.64.0.0/10), reserved, unspecified. A mapped
    # address counts as the one that it stands for.
    met = [mapped] if mapped is not None else list(_behind(address))
    return all(one.is_global and not one.is_multicast for one in met)
