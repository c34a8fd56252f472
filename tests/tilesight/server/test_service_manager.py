"""The service manager hears that the table is ready, alive, and about to stop."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tilesight.server.service_manager import ServiceManager

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is of Linux")


@pytest.mark.parametrize("abstract", [False, True])
def test_ready_alive_and_stopping_are_sent_to_the_service_manager(tmp_path: Path, abstract: bool) -> None:
    address = f"@tilesight-{tmp_path.name}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hears:
        hears.bind(address.replace("@", "\0", 1))
        hears.settimeout(5)
        manager = ServiceManager({"NOTIFY_SOCKET": address})
        manager.ready("Ana, Bo:\nhttp://here")
        manager.alive()
        manager.stopping()
        heard = [hears.recv(200) for _ in range(3)]
    assert heard == [b"READY=1\nSTATUS=Ana, Bo: http://here", b"WATCHDOG=1", b"STOPPING=1"]
    manager.alive()  # it listens no more


def test_without_one_nothing_is_said() -> None:
    ServiceManager({}).ready("anything")
