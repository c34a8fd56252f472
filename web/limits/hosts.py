"""Check of the ``Host`` header against DNS rebinding.

An attacker's web page can point its own domain name at this machine. The browser would then treat the table
as part of that page. Requests with a foreign host name are therefore refused.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.message import Message
from web.limits.errors import error_response

LOCAL_ENDINGS = (
    ".localhost",
    ".local",
    ".lan",
    ".home",
    ".home.arpa",
    ".internal",
    ".intranet",
    ".fritz.box",
)
"""Endings of host names that are only used inside a local network."""


def is_own_name(host: str, more: Collection[str] = ()) -> bool:
    """Whether a ``Host`` header may name this machine. True for an IP address, a name without a dot, a
    name with a local ending, this machine's host name, and the names in ``more``. A port is ignored."""
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    name = name.rstrip(".")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        known = {socket.gethostname().lower(), *(one.lower() for one in more)}
        return "." not in name or name.endswith(LOCAL_ENDINGS) or name in known
    return True


class HostMiddleware:
    """ASGI middleware that answers 421 to HTTP requests with a foreign host name, and closes such
    WebSockets with code 1008. ``names`` are host names to accept besides the local ones."""

    def __init__(self, app: ASGIApp, *, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on to the application, or refuse it."""
        host = Headers(scope=scope).get("host", "") if scope["type"] in ("http", "websocket") else ""
        if is_own_name(host, self.names):
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            message = Message("this table is not served under that name")
            await error_response(421, "foreign_host", message)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
