"""Server of an application without a table: serves a page until it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

import uvicorn
from fastapi import FastAPI

from tilesight.server.addresses import page_address
from tilesight.server.certificate import Certificate
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.dashboard import listen, run_servers, server_config
from tilesight.server.reverse_proxy import ReverseProxy
from web.limits.keys import KeyGuard


@dataclass(frozen=True, slots=True)
class Encrypted:
    """HTTPS server of the same pages: its port and its certificate.

    ``named`` are further certificates by server name (`Certificate.server_context`).
    """

    port: int
    certificate: Certificate
    named: Mapping[str, Certificate] = field(default_factory=dict)


def serve_page(
    app: FastAPI,
    host: str,
    port: int | None,
    ready: Callable[[str, Callable[[], None]], None],
    proxy: ReverseProxy | None = None,
    encrypted: Encrypted | None = None,
    limiter: ConnectionLimiter | None = None,
) -> None:
    """Serve an application until it is stopped; with ``encrypted``, over HTTPS as well.

    ``ready`` gets the address (the ``proxy``'s if it has one) and a function that stops the server. Without a
    ``limiter``, the connections have a table's limits; their keys are checked by ``app.state.guard`` if the
    application has one. Raises DashboardError if it cannot be served, KeyboardInterrupt when interrupted.
    """
    proxy = proxy or ReverseProxy()
    if limiter is None:
        guard: KeyGuard | None = getattr(app.state, "guard", None)
        knows_key = bool if guard is None else guard.knows
        limiter = ConnectionLimiter(max_connections(), proxies=proxy.addresses, knows_key=knows_key)
    with ExitStack() as stack:
        sockets = [stack.enter_context(listen(host, port))]
        servers = [uvicorn.Server(server_config(app, limiter, proxies=proxy.addresses))]
        if encrypted is not None:
            sockets.append(stack.enter_context(listen(host, encrypted.port)))
            servers.append(
                uvicorn.Server(server_config(app, limiter, encrypted.certificate, named=encrypted.named))
            )

        def stop() -> None:
            for server in servers:
                server.should_exit = True

        ready(proxy.url or page_address(host, sockets[0].getsockname()[1]), stop)
        run_servers(servers, sockets, limiter)
