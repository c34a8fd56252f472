"""Check of the ``Host`` and ``Origin`` headers against pages of other sites.

An attacker's web page can point its own domain name at this machine (DNS rebinding). The browser would then
treat the table as part of that page. Requests with a foreign host name are therefore refused.

A page of another site can also open WebSockets and send simple requests to this machine; the browser names
the page's site in ``Origin``. WebSockets and changes from another site are therefore refused.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.message import Message
from web.limits.errors import error_response

READS = ("GET", "HEAD", "OPTIONS")
"""HTTP methods that change nothing. The browser keeps their answers from pages of other sites."""
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
    """Whether a ``Host`` header may name this machine.

    True for an IP address, a name without a dot, a name with a local ending, this machine's host name, and
    the names in ``more``. The port is ignored.
    """
    name = name_of(host)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        known = {socket.gethostname().lower(), *(one.lower() for one in more)}
        return "." not in name or name.endswith(LOCAL_ENDINGS) or name in known
    return True


def name_of(host: str) -> str:
    """Return the name or address in a ``Host`` header, in lower case and without the port."""
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    return name.rstrip(".")


def is_own_page(origin: str, host: str, more: Collection[str] = ()) -> bool:
    """Whether an ``Origin`` header names a page of this machine.

    Such a page has the name in ``host`` (the request's ``Host`` header) or one of the names in ``more``. True
    for an empty origin, because programs send none. Ports are ignored, because the lobby and each table have
    their own.
    """
    name = name_of(urlsplit(origin).netloc)
    return not origin or name == name_of(host) or name in {one.lower() for one in more}


class HostMiddleware:
    """ASGI middleware that refuses foreign host names (421), and changes from pages of other sites (403).

    It closes WebSockets with a foreign host name or from another site with code 1008. ``names`` are host
    names to accept besides the local ones.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str] = ()) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on to the application, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        reads = scope["type"] == "http" and scope["method"] in READS
        if not is_own_name(host, self.names):
            refusal = error_response(421, "foreign_host", Message("this table is not served under that name"))
        elif not reads and not is_own_page(headers.get("origin", ""), host, self.names):
            refusal = error_response(403, "foreign_origin", Message("a page of another site may not do that"))
        else:
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
