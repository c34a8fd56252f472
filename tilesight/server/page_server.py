"""Server of one application that is no table's: serves a page until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.dashboard import lan_address, listen, server_config
from tilesight.server.reverse_proxy import ReverseProxy


def serve_page(
    app: FastAPI,
    host: str,
    port: int | None,
    ready: Callable[[str, Callable[[], None]], None],
    proxy: ReverseProxy | None = None,
) -> None:
    """Serve an application until it is stopped; ``ready`` is told the address, which is that of a ``proxy``
    where one serves it to the world, and what stops it.

    Raises DashboardError where it cannot be served, KeyboardInterrupt when interrupted.
    """
    proxy = proxy or ReverseProxy()
    listening = listen(host, port)
    number = listening.getsockname()[1]
    shown = lan_address() if host in ("0.0.0.0", "::", "") else host
    here = f"http://{f'[{shown}]' if ':' in shown else shown}:{number}"
    limiter = ConnectionLimiter(max_connections(), proxies=proxy.addresses)
    server = uvicorn.Server(server_config(app, limiter, proxies=proxy.addresses))

    def stop() -> None:
        server.should_exit = True

    async def serve() -> None:
        looking = asyncio.create_task(limiter.keep_looking())
        try:
            await server.serve(sockets=[listening])
        finally:
            looking.cancel()

    try:
        ready(proxy.url or here, stop)
        asyncio.run(serve())
    finally:
        listening.close()
