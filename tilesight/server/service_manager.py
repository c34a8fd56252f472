"""Notifications to the service manager that started the program (systemd): ready, alive, stopping.

The protocol is sd_notify(3): datagrams to the socket named by ``NOTIFY_SOCKET``. Without it, nothing is sent.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping


class ServiceManager:
    """Client of the socket at ``NOTIFY_SOCKET``, if there is one."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        # A name that begins with @ is in the abstract namespace, which has no file.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address

    def ready(self, status: str) -> None:
        """Notify that the table is served."""
        self._say("READY=1", f"STATUS={' '.join(status.split())}")

    def alive(self) -> None:
        """Send a heartbeat. Without heartbeats the process is restarted (WatchdogSec= of its unit)."""
        self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """Notify that the program is about to end."""
        self._say("STOPPING=1")

    def _say(self, *lines: str) -> None:
        """Send assignments as one datagram; errors are ignored."""
        if not self._address:
            return
        # The game continues even if the manager does not listen.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.setblocking(False)
            to.sendto("\n".join(lines).encode(), self._address)
