"""Size limits for requests, and security headers for all responses."""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from engine.message import Message
from web.limits.errors import error_response

BODY_LIMIT_BYTES = 64 * 1024
"""Maximum size of a request body, in bytes."""
TARGET_LIMIT_BYTES = 4096
"""Maximum size of path and query together, in bytes."""
HEADERS = {
    # All files come from this server; pages load nothing from other hosts.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""Default headers of every response. A response may override them."""


class RequestLimitMiddleware:
    """ASGI middleware that limits the size of requests and adds `HEADERS` to every response.

    It answers 413 to a body that is too large, and 414 to an address that is too long.
    """

    def __init__(
        self, app: ASGIApp, *, body_limit_bytes: int = BODY_LIMIT_BYTES, streamed: tuple[str, ...] = ()
    ) -> None:
        """``streamed`` are regular expressions.

        A route whose whole path matches one of them reads its body itself and limits its size.
        """
        self.app = app
        self.body_limit_bytes = body_limit_bytes
        self.streamed = tuple(map(re.compile, streamed))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, read its body, and pass it on to the application."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: AsgiMessage) -> None:
            """Send a message; the start of a response gets the default headers."""
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > TARGET_LIMIT_BYTES:
            await error_response(414, "address_too_long", Message("the address is too long"))(
                scope, receive, send_with_headers
            )
            return
        if any(one.fullmatch(scope["path"]) for one in self.streamed):
            await self.app(scope, receive, send_with_headers)
            return
        body = await self._body(scope, receive)
        if body is None:
            await error_response(
                413, "too_large", Message("at most {most} bytes", most=self.body_limit_bytes)
            )(scope, receive, send_with_headers)
            return
        given = False

        async def receive_again() -> AsgiMessage:
            """Return the body that was already read, then pass on further messages."""
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, receive_again, send_with_headers)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """Read and return the whole body. Return None as soon as it exceeds the limit."""
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
