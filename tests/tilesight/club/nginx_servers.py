"""nginx with Nchan for tests: Debian's own, on free ports."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tilesight.club.club_parts import free_port

CONFIGURATION = Path(__file__).resolve().parents[3] / "docs/deploy/club/nginx.conf"
MODULE = "/usr/lib/nginx/modules/ngx_nchan_module.so"
FOLDER = "/run/tilesight-nginx"
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(
    PROGRAM is None or not Path(MODULE).is_file(), reason="nginx or Nchan is not installed"
)


class Nginx(NamedTuple):
    """A running nginx: the port of its page, the address at which events are published, the hub's address."""

    port: int
    publish: str
    hub: str


def configured(changes: Mapping[str, str]) -> str:
    """The configuration that ships, with some of its texts changed."""
    text = CONFIGURATION.read_text("utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def faults(text: str, folder: Path) -> str:
    """What nginx says against a configuration; nothing where it takes it."""
    path = folder / "nginx.conf"
    path.write_text(text, "utf-8")
    said = subprocess.run([str(PROGRAM), "-t", "-c", str(path)], capture_output=True, text=True, check=False)
    return said.stderr if said.returncode else ""


@contextmanager
def nginx_serving(
    folder: Path, hub: str | None = None, changes: Mapping[str, str] | None = None
) -> Iterator[Nginx]:
    """An nginx of its own, with ``changes`` of its configuration, stopped at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    process, nginx = _started(folder, hub, changes or {})
    try:
        yield nginx
    finally:
        process.terminate()
        process.wait(20)


def _started(
    folder: Path, hub: str | None, changes: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], Nginx]:
    assert PROGRAM is not None
    path, errors = folder / "nginx.conf", folder / "stderr"
    for _ in range(3):  # another process may take a free port first
        nginx = Nginx(free_port(), f"127.0.0.1:{free_port()}", hub or f"127.0.0.1:{free_port()}")
        places = {"8781": str(nginx.port), "127.0.0.1:8782": nginx.publish, "127.0.0.1:8780": nginx.hub}
        own = {FOLDER: str(folder), "user www-data": f"user {getuser()}"}
        path.write_text(configured({**changes, **own, **places}), "utf-8")
        start = [PROGRAM, "-e", str(folder / "error.log"), "-c", str(path), "-g", "daemon off;"]
        with errors.open("wb") as stderr:
            process = subprocess.Popen(start, stderr=stderr)
        if _serves(f"http://127.0.0.1:{nginx.port}/nginx/healthz", process):
            return process, nginx
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
