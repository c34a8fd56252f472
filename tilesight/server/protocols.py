"""Connections of the server: each is under the limiter, secured if wanted, and passed on to uvicorn.

uvicorn's protocols are used through ``asyncio.Protocol`` alone, and are given to it by its settings ``http``
and ``ws``. None of them is overridden.
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
"""Seconds for a TLS handshake."""
HEAD_AT_MOST_BYTES = 16 * 1024
"""Bytes of a request's head in which a key is looked for where many guests wait."""
BEFORE_KEY_BYTES = FIRST_MESSAGE_BYTES + 4096
"""Bytes that a WebSocket takes in before the key. A message too long for a key is answered within them."""
KEY_LINE = re.compile(rb"\r\nx-table-key:[ \t]*([^\r\n]*)", re.IGNORECASE)
"""Matches the header with the key in the head of a request."""
REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
)
"""Answer to a guest where too many wait."""
NEVER_REFUSED = b"GET /healthz "
"""Beginning of a request that is answered however many wait: a supervisor would restart the table."""


class HttpConnection(asyncio.Protocol):
    """An HTTP connection. With ``secure`` its bytes are encrypted.

    It counts for the limiter from the moment at which it is accepted, before its handshake. While many
    guests wait, a request without a key is refused before it is parsed.
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
        """Do the handshake, then begin."""
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
        """Hand the connection to uvicorn, and what came before."""
        self._begun = True
        self._inner.connection_made(transport)
        if self._early:
            early, self._early = self._early, b""
            self.data_received(early)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, or refuse the request that they begin."""
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
        """Whether a request is not refused where many wait: it has a key, or asks for the health."""
        key = KEY_LINE.search(head)
        if key is not None and self.limiter.knows_key(key[1].decode("latin-1").strip()):
            return True
        return head.startswith(NEVER_REFUSED)

    def eof_received(self) -> None:
        """Pass the end of the requests on."""
        if self._begun:
            self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        if self._guest is not None:
            self.limiter.leave(self._guest)
        if self._begun:
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Pass on that the client reads too slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has read."""
        self._inner.resume_writing()


class WebSocketConnection(asyncio.Protocol):
    """A WebSocket, which an HTTP connection has become. It takes in little before its key was accepted."""

    limiter: ClassVar[ConnectionLimiter]

    def __init__(self, **given: Any) -> None:
        self._inner = WebSocketsSansIOProtocol(**given)
        self._guest: Guest | None = None
        self._upgraded = False
        self._before_key = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection over."""
        self._guest = self.limiter.at(ends_of(transport))
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on; too many without a key end the connection."""
        guest = self._guest
        if guest is not None and self._upgraded:  # first comes the head, once more
            self.limiter.heard(guest, len(data))
            self._before_key += len(data) * (not guest.keyed)
            if self._before_key > BEFORE_KEY_BYTES and not guest.keyed:
                guest.transport.abort()
                return
        self._upgraded = True
        self._inner.data_received(data)

    def eof_received(self) -> None:
        """Pass the end on."""
        self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the connection."""
        if self._guest is not None:
            self.limiter.leave(self._guest)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """Pass on that the client reads too slowly."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client has read."""
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
