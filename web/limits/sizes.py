"""Sizes of requests: the largest body and target, and the headers of every answer."""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.limits.errors import error_response

BODY_LIMIT_BYTES = 64 * 1024
"""Bytes of a request's body at most."""
TARGET_LIMIT_BYTES = 4096
"""Bytes of a request's path and query at most."""
HEADERS = {
    # Everything is served from here: no other host is ever asked for anything.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every answer that does not set them itself."""


class RequestLimitMiddleware:
    """ASGI middleware: 413 and 414 for what is too large, and security headers on every answer."""

    def __init__(
        self, app: ASGIApp, *, body_limit_bytes: int = BODY_LIMIT_BYTES, streamed: tuple[str, ...] = ()
    ) -> None:
        """The routes whose whole path is one of ``streamed`` (patterns) read and bound their bodies
        themselves."""
        self.app = app
        self.body_limit_bytes = body_limit_bytes
        self.streamed = tuple(map(re.compile, streamed))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > TARGET_LIMIT_BYTES:
            await error_response(414, "address_too_long", "the address is too long")(
                scope, receive, send_with_headers
            )
            return
        if any(one.fullmatch(scope["path"]) for one in self.streamed):
            await self.app(scope, receive, send_with_headers)
            return
        body = await self._body(scope, receive)
        if body is None:
            await error_response(413, "too_large", f"at most {self.body_limit_bytes} bytes")(
                scope, receive, send_with_headers
            )
            return
        given = False

        async def receive_again() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, receive_again, send_with_headers)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, or None as soon as it is known to be too large."""
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > self.body_limit_bytes:
            return None
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.body_limit_bytes:
                return None
        return body
