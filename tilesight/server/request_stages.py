"""Stages of each request, reported to the connection limits: asked, answered, streaming, with a right key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from tilesight.server.connections import ConnectionLimiter, Guest
from web.limits.keys import KEY_ACCEPTED
from web.limits.pace import STILL_THERE

GUEST = "tilesight.connection"
"""Key of a scope under which its connection is stored."""


class RequestStages:
    """ASGI middleware that reports the stages of every request to ``limiter``.

    ``X-Forwarded-For`` is trusted only from ``proxies``. The scope's extensions get two functions:
    `KEY_ACCEPTED`, which the application calls when a request's key is accepted, and `STILL_THERE`.
    """

    def __init__(self, app: ASGIApp, limiter: ConnectionLimiter, proxies: Sequence[str] = ()) -> None:
        self._app = app
        self._limiter = limiter
        # A forged X-Forwarded-For would let a client guess keys under many addresses.
        self._behind: ASGIApp = self._named
        if proxies:
            self._behind = ProxyHeadersMiddleware(self._named, list(proxies))  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on to the application, and report its stages."""
        guest = None
        if scope["type"] in ("http", "websocket") and scope.get("client") and scope.get("server"):
            guest = self._limiter.at((tuple(scope["client"]), tuple(scope["server"])))
        if guest is None:
            await self._app(scope, receive, send)
            return
        extensions = {
            **(scope.get("extensions") or {}),
            KEY_ACCEPTED: partial(self._limiter.accept_key, guest),
            STILL_THERE: partial(self._limiter.is_open, guest),
        }
        scope = {**scope, "extensions": extensions, GUEST: guest}
        if scope["type"] == "websocket":
            extensions[KEY_ACCEPTED] = partial(self._socket_keyed, guest)
            await self._behind(scope, receive, send)
        else:
            await self._request(guest, scope, receive, send)

    def _socket_keyed(self, guest: Guest) -> None:
        """Record that a WebSocket has sent a right key, so that its first message is no longer awaited."""
        self._limiter.accept_key(guest)
        self._limiter.heard_all(guest)

    async def _named(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Report the client's address, which a proxy may have added, and pass the request on."""
        if scope.get("client"):
            self._limiter.name(scope[GUEST], scope["client"][0])
        await self._app(scope, receive, send)

    async def _request(self, guest: Guest, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an HTTP request on."""
        limiter, whole = self._limiter, False
        limiter.asks(guest)
        if not _has_body(scope):
            limiter.heard_all(guest)

        async def hear() -> Message:
            """Return the next part of the request, and report the last one."""
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body", False) and not whole:
                limiter.heard_all(guest)
            return message

        async def tell(message: Message) -> None:
            """Send the next part of the answer, and report its stage."""
            nonlocal whole
            if message["type"] == "http.response.start":
                limiter.answers(guest, streams=_is_stream(message))
            elif message["type"] == "http.response.body":
                guest.unread += len(message.get("body", b""))
                if not message.get("more_body", False):
                    whole = True
                    limiter.answered(guest)
            await send(message)

        try:
            await self._behind(scope, hear, tell)
        finally:
            if not whole:
                limiter.answered(guest)


def _has_body(scope: Scope) -> bool:
    """Whether a request announces a body."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip() != b"0")
        for name, value in scope["headers"]
    )


def _is_stream(start: Message) -> bool:
    """Whether the answer that ``start`` begins is an event stream."""
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in start.get("headers", ())
    )
