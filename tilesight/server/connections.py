"""Connection limits of the server: their number, the time per request, and unread answers.

uvicorn closes a connection that is idle between two requests. The protocols here also close one that never
completes a request, and one that does not read. When the limit is reached, an idle connection is evicted: the
oldest one of the address with the most idle connections.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from web.api.phone import FIRST_MESSAGE_BYTES, KEY_ACCEPTED
from web.limits.addresses import client_of, ip_of

if TYPE_CHECKING:
    import h11

REQUEST_WITHIN_S = 12.0
"""Seconds for a request to be whole, or for a WebSocket to say the key (web.api.phone gives it a little
less)."""
READ_WITHIN_S = 60.0
"""Seconds within which a guest must have read everything that waits for it."""
LOOK_EVERY_S = 2.0
"""Seconds between two looks for connections that take too long."""
PLACES_AT_MOST = 800
"""Connections at a time. With the rest of the program's files this stays below 1024: OpenCV waits for some
cameras with select(), which knows no descriptors beyond."""
KEPT_FREE = 200
"""Descriptors kept for pictures, logs and libraries."""
PLACES_OF_ONE_ADDRESS = 100
"""Connections at a time of one address in the network, in IPv6 of one /64. Those of this machine and of a
proxy before the table are not counted: everybody comes from there."""


def max_connections() -> int:
    """Return the number of connections that this process can hold beside its other open files."""
    if sys.platform == "win32":
        return PLACES_AT_MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(20, min(soft - KEPT_FREE, PLACES_AT_MOST)) if soft > 0 else PLACES_AT_MOST


class Guest:
    """One connection.

    ``waits_since`` is when it became idle without a complete request (monotonic seconds), None while a
    request is being answered. ``unread_since`` is when data sent to it began to queue up.
    """

    def __init__(self, address: str, transport: asyncio.Transport, now_s: float) -> None:
        self.address = address
        self.transport = transport
        self.waits_since: float | None = now_s
        self.unread_since: float | None = None


class ConnectionLimiter:
    """Limits the connections to the servers of one table, on one event loop."""

    def __init__(
        self,
        places: int,
        *,
        of_one_address: int = PLACES_OF_ONE_ADDRESS,
        proxies: Collection[str] = (),
        request_within_s: float = REQUEST_WITHIN_S,
        read_within_s: float = READ_WITHIN_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._places = places
        self._of_one_address = of_one_address
        self._proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self._request_within_s = request_within_s
        self._read_within_s = read_within_s
        self.clock = clock
        self._guests: dict[Guest, None] = {}

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._guests)

    def enter(self, transport: asyncio.Transport) -> Guest:
        """Register a new connection. If the limit is reached, an idle connection is closed, or else the
        new one."""
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        guest = Guest(client_of(address), transport, self.clock())
        self._guests[guest] = None
        alike = [other for other in self._guests if other.address == guest.address]
        if not self._is_shared(address) and len(alike) > self._of_one_address:
            self._make_room(alike)
        elif len(self._guests) > self._places:
            self._make_room(list(self._guests))
        return guest

    def _is_shared(self, address: str) -> bool:
        """Whether an address stands for many users: a proxy or this machine."""
        ip = ip_of(address)
        return ip is None or ip.is_loopback or any(ip in proxy for proxy in self._proxies)

    def _make_room(self, among: list[Guest]) -> None:
        """Close the oldest idle connection of the address that has most of them."""
        waiting = [guest for guest in among if guest.waits_since is not None]
        most = Counter(guest.address for guest in waiting).most_common(1)
        # The newcomer waits as well, and is the last of its address.
        self._cut_off(next(guest for guest in waiting if guest.address == most[0][0]))

    def leave(self, guest: Guest) -> None:
        """Unregister a closed connection."""
        self._guests.pop(guest, None)

    def _cut_off(self, guest: Guest) -> None:
        """Close a connection at once."""
        self.leave(guest)
        guest.transport.abort()

    def check(self) -> None:
        """Close the connections that exceed a time limit."""
        now_s = self.clock()
        for guest in list(self._guests):
            if not guest.transport.get_write_buffer_size():
                guest.unread_since = None
            elif guest.unread_since is None:
                guest.unread_since = now_s
            too_slow = guest.waits_since is not None and now_s - guest.waits_since > self._request_within_s
            unread = guest.unread_since is not None and now_s - guest.unread_since > self._read_within_s
            if too_slow or unread:
                self._cut_off(guest)

    async def keep_checking(self) -> None:
        """Call :meth:`check` periodically, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.check()

    def protocols(self) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
        """Return uvicorn's protocols (its settings ``http`` and ``ws``) for connections under this
        limiter."""
        limiter = {"limiter": self}
        return type("Http", (_Http,), limiter), type("Ws", (_WebSocket,), limiter)


class _Http(H11Protocol):
    limiter: ConnectionLimiter
    guest: Guest

    def connection_made(self, transport: Any) -> None:
        self.guest = self.limiter.enter(transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.limiter.leave(self.guest)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.timeout_keep_alive_task is not None:  # the first bytes of another request
            self.guest.waits_since = self.limiter.clock()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            self.guest.waits_since = None

    def on_response_complete(self) -> None:
        self.guest.waits_since = self.limiter.clock()
        super().on_response_complete()
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            self.guest.waits_since = None  # the next request was there already

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to the WebSocket protocol."""
        self.limiter.leave(self.guest)
        super().handle_websocket_upgrade(event)


class _WebSocket(WebSocketsSansIOProtocol):
    """WebSocket protocol with a small buffer until the client has sent its key: then call
    ``scope["extensions"][KEY_ACCEPTED]``."""

    limiter: ConnectionLimiter
    guest: Guest

    def connection_made(self, transport: Any) -> None:
        self._bound(FIRST_MESSAGE_BYTES)
        self.guest = self.limiter.enter(transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.limiter.leave(self.guest)
        super().connection_lost(exc)

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # the application has not seen it yet: its task begins later
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[KEY_ACCEPTED] = self._keyed

    def _keyed(self) -> None:
        """Lift the limits of a client that has not sent its key."""
        self._bound(self.config.ws_max_size)
        self.guest.waits_since = None

    def _bound(self, size: int) -> None:
        # The limit's name is another in websockets before 15.
        """Limit the size of an incoming message, in bytes."""
        for name in ("max_message_size", "max_size"):
            if hasattr(self.conn, name):
                setattr(self.conn, name, size)
