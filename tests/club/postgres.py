"""PostgreSQL for tests: a server of its own on a free port, Debian's or that of `initdb` on PATH."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.tilesight.club.club_parts import free_port

OWNER = "postgres"
"""The user that runs it where the tests run as root, as whom it refuses to run."""


def program(name: str) -> str | None:
    """One of PostgreSQL's programs: on PATH, else the newest of Debian's."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(newest[-1]) if newest else None)


@contextmanager
def postgres_serving() -> Iterator[str]:
    """An empty database's URL."""
    initdb, postgres = program("initdb"), program("postgres")
    assert initdb is not None and postgres is not None, "PostgreSQL is not installed"
    who: dict[str, Any] = {"user": OWNER} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="tilesight-pg-", ignore_cleanup_errors=True) as folder:
        if who:
            owner = pwd.getpwnam(OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        data, port = Path(folder) / "data", free_port()
        make = [
            initdb,
            "-D",
            str(data),
            "-U",
            "club",
            "--auth=trust",
            "--no-sync",
            "--encoding=UTF8",
            "--locale=C",
        ]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd=folder, **who)
        run = [postgres, "-D", str(data), "-h", "127.0.0.1", "-p", str(port), "-k", folder]
        log = Path(folder) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(run, stdout=out, stderr=out, cwd=folder, **who)
        try:
            _wait(port, process, log)
            yield f"postgresql://club@127.0.0.1:{port}/postgres"
        finally:
            process.terminate()
            process.wait(30)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    import psycopg

    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(f"postgresql://club@127.0.0.1:{port}/postgres", connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None and time.monotonic() < until, log.read_text(encoding="utf-8")
            time.sleep(0.1)
