"""Addresses of guests, as limits count them: one home or phone is one guest."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

HOME_BITS = 64
"""Bits of an IPv6 address that say whose network it is: its owner chooses the other 64 at will."""


Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


def ip_of(address: str) -> Ip | None:
    """An address, one in IPv4 also where it is written in IPv6's way; None where the text is none."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (ip.ipv4_mapped or ip) if isinstance(ip, ipaddress.IPv6Address) else ip


@lru_cache(maxsize=4096)
def guest_of(address: str) -> str:
    """The guest behind an address: the /64 network of one in IPv6, the address itself in IPv4; whatever is no
    address stays as it is."""
    ip = ip_of(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((ip, HOME_BITS), strict=False))
    return address if ip is None else str(ip)
