"""A club on nine machines as docs/club-deploy.md tells it: ``python -m tests.club.machines``, by root.

The commands are those of the page; its addresses, its password and its invitation are replaced, and the
camera by a recorded game at a fast pace. Stand-ins: `sudo`, and `systemctl` for PostgreSQL.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.club.machines import containers, units
from tests.club.machines.hall import Hall, say
from tests.club.machines.network import allowed, network
from tests.club.machines.page import Page
from tests.docs.pages import DOCS

NAMES = ("hub", "database", "spectators", "archive", "worker-1", "worker-2", "table-1", "table-2", "guest")
SHIMS = {
    "sudo": 'if [ "$1" = -u ]; then user=$2; shift 2; exec runuser -u "$user" -- "$@"; fi; exec "$@"',
    "systemctl": 'pg_ctlcluster --mode fast "$(ls /etc/postgresql)" main "$1"',
}
"""Programs that stand in for what a namespace does not have."""


def main() -> int:
    """Follow the page; say each step, end with an error at the first that fails."""
    ask = argparse.ArgumentParser(prog="python -m tests.club.machines", description=__doc__)
    ask.add_argument("--containers", action="store_true", help="do what compose.yaml says instead")
    ask.add_argument("--systemd", action="store_true", help="follow what it says for one machine instead")
    asked = ask.parse_args()
    if why := allowed() or (units.missing() if asked.systemd else None):
        print(why, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tilesight-machines-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            _follow(asked, folder)
        except Exception:
            for log in sorted(folder.glob("*/*.log")):
                print(f"--- {log.relative_to(folder)}\n{log.read_text()[-2000:]}", file=sys.stderr)
            raise
    say("all of it was done, and is as it is said")
    return 0


def _follow(asked: argparse.Namespace, folder: Path) -> None:
    if asked.systemd:
        with units.booted(folder) as machine:
            units.Units(machine).run()
        return
    names = containers.NAMES if asked.containers else NAMES
    with network(folder, names, _environ(folder)) as machines:
        if asked.containers:
            containers.Containers(machines).run()
        else:
            Hall(Page(DOCS / "club-deploy.md"), machines).play()


def _environ(folder: Path) -> dict[str, str]:
    """What every shell finds: programs, and a home of its machine's own."""
    shims = folder / "shims"
    shims.mkdir()
    for name, text in SHIMS.items():
        (shims / name).write_text(f"#!/bin/sh\n{text}\n")
        (shims / name).chmod(0o755)
    path = f"{shims}:{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
    return {"PATH": path, "HOME": "/root", "LANG": "C.UTF-8"}


if __name__ == "__main__":
    sys.exit(main())
