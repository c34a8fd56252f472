"""Addresses at which devices of the local network reach a server of this machine."""

from __future__ import annotations

import socket

DEFAULT_HOST = "0.0.0.0"
"""Address on which the dashboard is served: all addresses of this machine."""
EVERYWHERE = ("0.0.0.0", "::", "")
"""Hosts that stand for every address of this machine."""


def lan_address() -> str:
    """Return this machine's address in the local network; the loopback address if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only selects the network interface.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def reached_at(host: str) -> str:
    """Return the address at which devices of the local network reach a server on ``host``."""
    return lan_address() if host in EVERYWHERE else host


def page_address(host: str, port: int, scheme: str = "http") -> str:
    """Return the address of a page served on ``host``, for devices of the local network."""
    shown = reached_at(host)
    return f"{scheme}://{f'[{shown}]' if ':' in shown else shown}:{port}"
