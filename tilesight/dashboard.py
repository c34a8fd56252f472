"""The dashboard's server beside the watching thread: port, addresses, key, start and stop."""

from __future__ import annotations

import asyncio
import socket
import threading
from types import TracebackType

import segno
import uvicorn

from web.app import create_app
from web.keys import new_key
from web.table import Table

DEFAULT_HOST = "0.0.0.0"
DEFAULT_PORT = 8770
PORTS_TRIED = 20
START_WITHIN_S = 10.0
STOP_WITHIN_S = 5.0


class DashboardError(ValueError):
    """The dashboard cannot be served; one line for the user."""


class Dashboard:
    """Serves a table while the ``with`` block runs; requests are answered in a thread of their own.

    ``port`` None takes the first free one from ``DEFAULT_PORT`` on, 0 any. ``url`` is what phones in the
    same network open, without the key; ``join_url`` carries the key after ``#``, which no log ever sees.
    """

    def __init__(
        self, table: Table, *, host: str = DEFAULT_HOST, port: int | None = None, key: str | None = None
    ) -> None:
        self.key = key or new_key()
        self._table = table
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        shown = lan_address() if host in ("0.0.0.0", "::", "") else host
        self.url = f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}"
        config = uvicorn.Config(
            create_app(table, key=self.key),
            log_level="error",
            access_log=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="dashboard", daemon=True)

    @property
    def join_url(self) -> str:
        """The address for players, as in the QR code."""
        return f"{self.url}/#key={self.key}"

    def qr_code(self) -> str:
        """The join address as a QR code for a terminal, in half blocks."""
        lines = []
        rows = [bytes(row) for row in segno.make(self.join_url, error="l").matrix_iter(border=2)]
        for upper, lower in zip(rows[::2], [*rows[1::2], bytes(len(rows[0]))], strict=False):
            pairs = zip(upper, lower, strict=True)
            lines.append("".join(_HALF_BLOCKS[(bool(a), bool(b))] for a, b in pairs))
        return "\n".join(lines)

    def __enter__(self) -> Dashboard:
        self._thread.start()
        waited = threading.Event()
        for _ in range(int(START_WITHIN_S / 0.02)):
            if self._server.started:
                return self
            if not self._thread.is_alive():
                break
            waited.wait(0.02)
        raise DashboardError("the dashboard's server did not start")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Phones hold their event streams open: these are ended first, or the server waits for them.
        self._table.watch().close()
        self._server.should_exit = True
        self._thread.join(STOP_WITHIN_S)
        self._socket.close()

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))


# Dark modules are drawn as gaps in light blocks: terminals are dark, and readers want dark on light.
_HALF_BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}


def lan_address() -> str:
    """This machine's address in the local network; the loopback address where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only picks the way out.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _listen(host: str, port: int | None) -> socket.socket:
    wanted = [port] if port is not None else list(range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED))
    problem = ""
    for number in wanted:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listening = socket.socket(family, socket.SOCK_STREAM)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((host, number))
                listening.listen(256)
            except BaseException:
                listening.close()
                raise
            return listening
        except OverflowError:
            raise DashboardError(f"port {number}: must be between 0 and 65535") from None
        except socket.gaierror:
            raise DashboardError(f"host {host}: no such address") from None
        except OSError as error:
            problem = error.strerror or str(error)
    ports = f"port {wanted[0]}" if len(wanted) == 1 else f"ports {wanted[0]} to {wanted[-1]}"
    raise DashboardError(f"the dashboard cannot be served on {host}, {ports}: {problem}")
