"""Reverse proxy in front of a table: its public address, and its own network addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from tilesight.settings import SettingsError


@dataclass(frozen=True, slots=True)
class ReverseProxy:
    """Reverse proxy in front of the table.

    ``url`` is the public address that players open, None if they open this computer's own.
    ``X-Forwarded-For`` is trusted only from ``addresses``.
    """

    url: str | None = None
    addresses: tuple[str, ...] = ()

    @property
    def secure(self) -> bool:
        """Whether the proxy serves HTTPS, so that a phone's browser may use its camera."""
        return self.url is not None and self.url.startswith("https:")


def reverse_proxy(url: str | None, addresses: Sequence[str]) -> ReverseProxy:
    """Return the proxy for the options ``--public-url`` and ``--proxy``.

    Raises SettingsError if ``url`` is not ``https://name`` or ``http://name`` (a port is optional), or if one
    of ``addresses`` is not an address or network.
    """
    if url is not None:
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            known = False
        if not known or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise SettingsError(f"--public-url is an address such as https://table.example.org, not {url!r}")
        url = f"{parts.scheme}://{parts.netloc}"
    for address in addresses:
        try:
            ipaddress.ip_network(address)
        except ValueError:
            raise SettingsError(f"--proxy is an address or a network (10.0.0.0/8), not {address!r}") from None
    return ReverseProxy(url, tuple(addresses))
