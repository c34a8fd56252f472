"""nginx with Nchan for tests: Debian's own, on free ports."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path

import pytest

from tests.tilesight.club.nats_servers import free_port
from tilesight.club.nginx import NginxSettings, configuration

PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(
    PROGRAM is None or not Path(NginxSettings().module).is_file(), reason="nginx or Nchan is not installed"
)


@contextmanager
def nginx_serving(folder: Path, **more: object) -> Iterator[NginxSettings]:
    """An nginx of its own, stopped at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    process, settings = _started(folder, more)
    try:
        yield settings
    finally:
        process.terminate()
        process.wait(20)


def _started(folder: Path, more: dict[str, object]) -> tuple[subprocess.Popen[bytes], NginxSettings]:
    assert PROGRAM is not None
    path, errors = folder / "nginx.conf", folder / "stderr"
    for _ in range(3):  # another process may take a free port first
        places = (free_port(), f"127.0.0.1:{free_port()}")
        hub = {"hub": f"127.0.0.1:{free_port()}", **more}
        settings = NginxSettings(folder, *places, user=getuser(), **hub)  # type: ignore[arg-type]
        path.write_text(configuration(settings), "utf-8")
        start = [PROGRAM, "-e", str(folder / "error.log"), "-c", str(path), "-g", "daemon off;"]
        with errors.open("wb") as stderr:
            process = subprocess.Popen(start, stderr=stderr)
        if _serves(f"http://127.0.0.1:{settings.port}/nginx/healthz", process):
            return process, settings
        process.kill()
        process.wait()
    raise AssertionError(errors.read_text())


def _serves(url: str, process: subprocess.Popen[bytes]) -> bool:
    until = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False
