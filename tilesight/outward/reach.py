"""Network of webhooks: resolves each host itself, and connects only to addresses that may be reached."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Sequence
from typing import Any

import httpcore

from tilesight.outward.addresses import Network, is_reachable


class RefusedAddressError(Exception):
    """A webhook's host has a private network address that the host of the table did not allow."""


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Network of httpcore that resolves each host itself, and connects only to addresses that it checked.

    So a name that changes its address between check and connection (DNS rebinding) is never followed.
    """

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        self._allowed = tuple(allowed)
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of ``host`` that answers. Raises RefusedAddressError if webhooks may
        not connect to one of its addresses, OSError if it has none."""
        addresses = await resolved(host, port)
        if not all(is_reachable(address, self._allowed) for address in addresses):
            raise RefusedAddressError(host)
        for address in addresses[:-1]:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._inner.connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Sleep for some seconds."""
        await self._inner.sleep(seconds)


async def resolved(host: str, port: int) -> list[str]:
    """Return the network addresses of a host, each once. Raises OSError if there are none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))
