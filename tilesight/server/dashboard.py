"""Dashboard server beside the watching thread: port, addresses, key, QR code, start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from websockets.exceptions import InvalidState

from tilesight.home import certificates_folder
from tilesight.server.addresses import DEFAULT_HOST, page_address, reached_at
from tilesight.server.certificate import Certificate, certificate_for
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.protocols import protocols
from tilesight.server.request_stages import RequestStages
from tilesight.server.reverse_proxy import ReverseProxy
from web.api.phone import PICTURE_LIMIT_BYTES, PhoneSink
from web.api.served import offer
from web.app import create_app, create_square_app
from web.limits.keys import KeyGuard
from web.table.access import new_key
from web.table.squares import SquareTable, SquareView
from web.table.table import Outward, Table
from web.table.vitals import Vitals

DEFAULT_PORT = 8770
"""Port that is tried first."""
PORTS_TRIED = 20
"""Number of successive ports that are tried."""
START_WITHIN_S = 10.0
"""Timeout for the start of the server, in seconds."""
STOP_WITHIN_S = 5.0
"""Timeout for the stop of the server, in seconds."""
THREADS = 4
"""Maximum number of requests that are answered in threads at a time. More would only wait for the interpreter
lock."""
SWITCH_WITHIN_S = 0.0005
"""Seconds after which a thread that holds the interpreter lock releases it to a waiting one. The recogniser
asks for the lock after each call into OpenCV or a network. Under the load of `tests.crowds crowd` it reaches
81 % of its rate on an idle processor with this value, and 75 % with Python's default of 5 ms."""
BACKLOG = 128
"""Maximum number of connections that wait to be accepted. asyncio tries to accept that many at once, even if
no descriptor is left, and logs each failure."""


class DashboardError(ValueError):
    """The dashboard cannot be served; the message is one line for the user."""


class Dashboard:
    """Serves a table while the ``with`` block runs, in a separate thread.

    ``port`` None takes the first free port from ``DEFAULT_PORT`` on, 0 any free port. ``url`` is the address
    that phones in the same network open, without the key. ``join_url`` has the key after ``#``, which
    browsers do not send, so it is never logged. With ``phone``, a phone may be the camera: the same pages are
    also served over HTTPS on the next free port, with the certificate kept in ``certificates``, and that
    phone opens ``camera_url``. If a ``proxy`` has a public address, ``url`` is that address.
    """

    def __init__(
        self,
        table: Table | SquareTable,
        *,
        host: str = DEFAULT_HOST,
        port: int | None = None,
        key: str | KeyGuard | None = None,
        phone: PhoneSink | None = None,
        certificates: Path | None = None,
        proxy: ReverseProxy | None = None,
        vitals: Callable[[], Vitals] = Vitals,
        tournament: bool = False,
        app: FastAPI | None = None,
        limiter: ConnectionLimiter | None = None,
    ) -> None:
        """Prepare to serve ``table``.

        ``key`` is the join key or the guard of all keys; ``vitals`` returns the data of ``/healthz``. With
        ``tournament``, hints are off, because the games may count in one. ``app`` replaces the default
        application and has its own key; ``limiter`` limits its connections. Raises DashboardError if no port
        is free, or if the certificate cannot be stored.
        """
        self._guard = key if isinstance(key, KeyGuard) else KeyGuard(key or new_key())
        proxy = proxy or ReverseProxy()
        self._table = table
        self._sockets = [listen(host, port)]
        self.port: int = self._sockets[0].getsockname()[1]
        self.url = proxy.url or page_address(host, self.port)
        self.camera_url: str | None = None
        self.certificate: Certificate | None = None
        if limiter is None:  # not `or`: a limiter without connections is falsy
            limiter = ConnectionLimiter(
                max_connections(), proxies=proxy.addresses, knows_key=self._guard.knows
            )
        self._limiter = limiter
        secure = ""
        if phone is not None:
            try:
                self.certificate = certificate_for(reached_at(host), certificates or certificates_folder())
                self._sockets.append(listen(host, 0 if port == 0 else None))
            except BaseException as error:
                self._sockets[0].close()
                if isinstance(error, OSError):
                    raise DashboardError(f"the certificate cannot be kept: {error}") from None
                raise
            secure_port = self._sockets[1].getsockname()[1]
            secure = self.url if proxy.secure else page_address(host, secure_port, "https")
            self.camera_url = f"{secure}/camera#key={self._guard.access.camera}"
        app = app or _app_of(
            table, tournament, key=self._guard, phone=phone, url=self.url, vitals=vitals, secure_url=secure
        )
        self._app = app
        self._servers = [uvicorn.Server(server_config(app, self._limiter, None, proxy.addresses))]
        if phone is not None:
            self._servers.append(uvicorn.Server(server_config(app, self._limiter, self.certificate)))
        serving = (self._servers, self._sockets, self._limiter, THREADS)
        self._thread = threading.Thread(target=run_servers, args=serving, name="dashboard", daemon=True)

    @property
    def key(self) -> str:
        """The current join key."""
        return self._guard.access.player

    @property
    def join_url(self) -> str:
        """The address for players, as in the QR code."""
        return f"{self.url}/#key={self.key}"

    @property
    def host_key(self) -> str:
        """The key of the host, who may change the table's join key."""
        return self._guard.access.host

    @property
    def host_url(self) -> str:
        """The address for the host."""
        return f"{self.url}/#key={self.host_key}"

    def about_camera(self) -> str:
        """Return the explanation of the camera page for people, "" without ``phone``.

        It names the address that the phone opens, and explains the browser's warning.
        """
        if self.certificate is None or self.camera_url is None:
            return ""
        where = f"This second code is for the phone that is the camera, or open {self.camera_url}"
        if self.camera_url.startswith(f"{self.url}/"):  # served by a proxy with a trusted certificate
            return where
        return (
            f"{where}\nIts browser will say once that the connection is not private: this computer made the "
            "certificate itself, and nobody else vouches for it. The pictures are encrypted all the same and "
            "stay in your network. Choose 'Advanced', then 'Proceed'. To be certain that it is this "
            f"computer, compare the certificate's SHA-256: {self.certificate.fingerprint}"
        )

    def offer(self, outward: Outward) -> None:
        """Let the table's host see and change the webhooks of ``outward``."""
        offer(self._app, outward)

    def __enter__(self) -> Dashboard:
        self._switched_within_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_WITHIN_S)
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(START_WITHIN_S / 0.02)):
            if all(server.started for server in self._servers):
                return self
            if not self._thread.is_alive():
                break
            waited.wait(0.02)
        raise DashboardError("the dashboard's server did not start")

    def __exit__(self, *_: object) -> None:
        sys.setswitchinterval(self._switched_within_s)
        # Close the feed first: it ends the phones' event streams, for which the server would wait.
        self._table.watch().close()
        for server in self._servers:
            server.should_exit = True
        self._thread.join(STOP_WITHIN_S)
        for listening in self._sockets:
            listening.close()


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether a log record of uvicorn is more than a request cancelled by the server's stop."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not issubclass(kind, asyncio.CancelledError)


logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)


def run_servers(
    servers: Sequence[uvicorn.Server],
    sockets: Sequence[socket.socket],
    limiter: ConnectionLimiter,
    threads: int | None = None,
) -> None:
    """Run servers, each on its socket, until they are stopped.

    ``limiter`` limits their connections. ``threads`` is the maximum number of requests that are answered in
    threads at a time, None for the default of anyio.
    """

    async def one(server: uvicorn.Server, listening: socket.socket) -> None:
        # When uvicorn stops, it also closes connections that are being closed already.
        with contextlib.suppress(InvalidState):
            await server.serve(sockets=[listening])

    async def run() -> None:
        if threads is not None:
            current_default_thread_limiter().total_tokens = threads
        looking = asyncio.create_task(limiter.keep_checking())
        try:
            await asyncio.gather(*map(one, servers, sockets))
        finally:
            looking.cancel()

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(run())


def server_config(
    app: FastAPI,
    limiter: ConnectionLimiter,
    certificate: Certificate | None = None,
    proxies: Sequence[str] = (),
    named: Mapping[str, Certificate] | None = None,
) -> uvicorn.Config:
    """Return uvicorn's configuration for an application that is open to the local network.

    ``limiter`` limits the connections. With ``certificate`` they are encrypted; a client that asks for one of
    the names in ``named`` gets that certificate instead (`Certificate.server_context`). ``X-Forwarded-For``
    is trusted only from ``proxies``.
    """
    http, ws = protocols(limiter, None if certificate is None else certificate.server_context(named))
    return uvicorn.Config(
        RequestStages(app, limiter, proxies),
        http=http,
        ws=ws,
        backlog=BACKLOG,
        proxy_headers=False,  # RequestStages reads these headers
        server_header=False,
        ws_per_message_deflate=False,  # pictures do not get smaller, and small messages could get large
        log_config=None,  # tilesight.logs configures the logging
        log_level="error",
        access_log=False,
        lifespan="off",
        ws_max_size=PICTURE_LIMIT_BYTES + 1,
        timeout_graceful_shutdown=2,
    )


def _app_of(table: Table | SquareTable, tournament: bool, **options: Any) -> FastAPI:
    """Return the application for a table, by the kind of board of its view."""
    if isinstance(table.state(), SquareView):
        return create_square_app(cast(SquareTable, table), **options)
    return create_app(cast(Table, table), tournament=tournament, **options)


def listen(host: str, port: int | None) -> socket.socket:
    """Open a listening socket on a port, or on the first free one. Raises DashboardError."""
    wanted = [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED)
    problem = ""
    for number in wanted:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with contextlib.ExitStack() as stack:
                listening = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listening.bind((host, number))
                listening.listen(BACKLOG)
                stack.pop_all()
            return listening
        except OverflowError:
            raise DashboardError(f"port {number}: must be between 0 and 65535") from None
        except socket.gaierror:
            raise DashboardError(f"host {host}: no such address") from None
        except OSError as error:
            problem = error.strerror or str(error)
    ports = f"port {wanted[0]}" if len(wanted) == 1 else f"ports {wanted[0]} to {wanted[-1]}"
    raise DashboardError(f"the dashboard cannot be served on {host}, {ports}: {problem}")
