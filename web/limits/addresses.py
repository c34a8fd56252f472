"""Client addresses as the limits count them: an IPv6 /64 network is one client."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

HOME_BITS = 64
"""Length in bits of the IPv6 prefix that identifies one network. Its owner can use any of the remaining 64
bits."""


Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
"""A parsed IP address."""


def ip_of(address: str) -> Ip | None:
    """Parse an IP address, ignoring a zone suffix such as ``%eth0``.

    An IPv4-mapped IPv6 address becomes IPv4. Return None if the text is not an address.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (ip.ipv4_mapped or ip) if isinstance(ip, ipaddress.IPv6Address) else ip


@lru_cache(maxsize=4096)
def client_of(address: str) -> str:
    """Return the identifier under which limits count a client.

    It is the /64 network of an IPv6 address, and the address itself for IPv4. Text that is not an address is
    returned unchanged.
    """
    ip = ip_of(address)
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((ip, HOME_BITS), strict=False))
    return address if ip is None else str(ip)
