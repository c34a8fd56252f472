"""Connections of the server: each is limited, encrypted if required, and passed on to uvicorn.

uvicorn's protocols are used only through ``asyncio.Protocol``; none is overridden. Its settings ``http`` and
``ws`` get the classes of this module instead.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tilesight.server.connections import ConnectionLimiter, Guest, ends_of
from web.api.phone import FIRST_MESSAGE_BYTES

HANDSHAKE_WITHIN_S = 5.0
"""Timeout for a TLS handshake, in seconds."""
HEAD_AT_MOST_BYTES = 16 * 1024
"""Maximum size of the part of a request's head that is searched for a key while many guests wait, in
bytes."""
BEFORE_KEY_BYTES = FIRST_MESSAGE_BYTES + 4096
"""Maximum number of bytes that a WebSocket accepts before the key. It leaves room to answer a first message
that is too long to be a key."""
KEY_LINE = re.compile(rb"\r\nx-table-key:[ \t]*([^\r\n]*)", re.IGNORECASE)
"""Matches the header with the key in the head of a request."""
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)
"""Answer to a guest's request while too many wait."""
NEVER_REFUSED = b"GET /healthz "
"""Beginning of the request for the health check, which is always answered. Without an answer, a supervisor
would restart the table."""


class HttpConnection(asyncio.Protocol):
    """An HTTP connection. With ``secure`` it is encrypted.

    The limiter counts it from the moment at which it is accepted, before its handshake. While many guests
    wait, a request without a key is refused before it is parsed.
    """

    limiter: ClassVar[ConnectionLimiter]
    secure: ClassVar[ssl.SSLContext | None]

    def __init__(self, **given: Any) -> None:
        self._inner = H11Protocol(**given)
        self._guest: Guest | None = None
        self._early = b""
        self._passed = -1
        self._begun = False
        self._securing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection, and begin it: after a handshake if it is encrypted."""
        assert isinstance(transport, asyncio.Transport)
        self._guest = self.limiter.enter(transport)
        if self.secure is None:
            self._begin(transport)
        elif not transport.is_closing():
            transport.pause_reading()
            self._securing = asyncio.get_running_loop().create_task(self._secure(transport, self.secure))

    async def _secure(self, transport: asyncio.Transport, secure: ssl.SSLContext) -> None:
        """Do the TLS handshake, then begin."""
        assert self._guest is not None
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport, self, secure, server_side=True, ssl_handshake_timeout=HANDSHAKE_WITHIN_S
            )
        except OSError:  # no TLS handshake, a certificate that the client refuses, or a lost connection
            secured = None
        if secured is None or transport.is_closing():
            self.limiter.leave(self._guest)
            transport.abort()
            return
        self._guest.transport = secured
        self._begin(secured)

    def _begin(self, transport: asyncio.Transport) -> None:
        """Pass the connection on to uvicorn, with the bytes that arrived before."""
        self._begun = True
        self._inner.connection_made(transport)
        if self._early:
            early, self._early = self._early, b""
            self.data_received(early)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on to uvicorn, or refuse the request that they begin."""
        guest = self._guest
        assert guest is not None
        self.limiter.heard(guest, len(data))
        if not self._begun:
            self._early += data
            return
        begins = guest.stage == "waits" and self._passed != guest.requests
        if begins and (self._early or self.limiter.crowded):
            data, self._early = self._early + data, b""
            if self.limiter.crowded and b"\r\n\r\n" not in data and len(data) < HEAD_AT_MOST_BYTES:
                self._early = data
                return
            if self.limiter.crowded and not self._may_pass(data):
                guest.transport.write(REFUSAL)
                guest.transport.close()
                return
        self._passed = guest.requests
        self._inner.data_received(data)

    def _may_pass(self, head: bytes) -> bool:
        """Whether a request is answered even if many guests wait.

        True if its key may be right, or if it asks for the health.
        """
        key = KEY_LINE.search(head)
        if key is not None and self.limiter.knows_key(key[1].decode("latin-1").strip()):
            return True
        return head.startswith(NEVER_REFUSED)

    def eof_received(self) -> None:
        """Tell uvicorn that the client has sent everything."""
        if self._begun:
            self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection and tell uvicorn."""
        if self._guest is not None:
            self.limiter.leave(self._guest)
        if self._begun:
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell uvicorn that the client reads too slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Tell uvicorn that the client has caught up."""
        self._inner.resume_writing()


class WebSocketConnection(asyncio.Protocol):
    """A WebSocket, upgraded from an HTTP connection. Before its key is accepted, it takes few bytes."""

    limiter: ClassVar[ConnectionLimiter]

    def __init__(self, **given: Any) -> None:
        self._inner = WebSocketsSansIOProtocol(**given)
        self._guest: Guest | None = None
        self._upgraded = False
        self._before_key = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over the upgraded connection."""
        self._guest = self.limiter.at(ends_of(transport))
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on to uvicorn. Close the connection if too many arrive before the key."""
        guest = self._guest
        if guest is not None and self._upgraded:  # the first call repeats the head of the request
            self.limiter.heard(guest, len(data))
            self._before_key += len(data) * (not guest.keyed)
            if self._before_key > BEFORE_KEY_BYTES and not guest.keyed:
                guest.transport.abort()
                return
        self._upgraded = True
        self._inner.data_received(data)

    def eof_received(self) -> None:
        """Tell uvicorn that the client has sent everything."""
        self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection and tell uvicorn."""
        if self._guest is not None:
            self.limiter.leave(self._guest)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell uvicorn that the client reads too slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Tell uvicorn that the client has caught up."""
        self._inner.resume_writing()


def protocols(
    limiter: ConnectionLimiter, secure: ssl.SSLContext | None
) -> tuple[type[asyncio.Protocol], type[asyncio.Protocol]]:
    """Return the protocols (uvicorn's settings ``http`` and ``ws``) for connections under ``limiter``."""
    limited = {"limiter": limiter}
    return (
        type("Http", (HttpConnection,), {**limited, "secure": secure}),
        type("WebSocket", (WebSocketConnection,), limited),
    )
