"""Host names under which a table may be asked for.

A page from the internet whose name is made to lead to this machine (DNS rebinding) would read the table
as if it were the table's own page: its name is refused.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

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
"""Endings of names that stand for machines of one's own network."""


def is_own_name(host: str, more: Collection[str] = ()) -> bool:
    """Whether a request's ``Host`` can be this table's: an address, a name of the local network (without a
    dot, or of a local ending), this machine's name, or one of ``more``."""
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
    """ASGI middleware: 421 for a request under a foreign name."""

    def __init__(self, app: ASGIApp, *, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        host = Headers(scope=scope).get("host", "") if scope["type"] in ("http", "websocket") else ""
        if is_own_name(host, self.names):
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            message = "this table is not served under that name"
            await error_response(421, "foreign_host", message)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
