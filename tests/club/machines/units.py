"""What docs/club-deploy.md says for one machine, typed on one with systemd: units of hub, spectators, worker.

The machine is a namespace in which systemd is the first process. It has this one's programs and network, and
writes to memory. The page's REPOSITORY is this clone; packages come from the index.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.club.machines.hall import say
from tests.club.machines.network import SPACES, Machine, MachineError, awaited
from tests.docs.pages import DOCS

SYSTEMD = "/lib/systemd/systemd"
PROGRAMS = ("sudo", "git", "make", "curl", "nginx", "pg_ctlcluster")
"""Programs that the page takes for granted."""
ENVIRON = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
UNITS = ("tilesight-hub", "tilesight-spectators")
AS_HUB = "sudo -u tilesight-hub env TILESIGHT_HOME=/var/lib/tilesight-hub /opt/tilesight/.venv/bin/tilesight"
TURNS = 3
"""Turns of the recorded game."""


def missing() -> str | None:
    """Why the page cannot be followed here; None where it can."""
    lacks = [name for name in PROGRAMS if shutil.which(name) is None] + [SYSTEMD] * (
        not Path(SYSTEMD).exists()
    )
    return f"not installed: {', '.join(lacks)}" if lacks else None


@contextlib.contextmanager
def booted(folder: Path) -> Iterator[Machine]:
    """A machine whose first process is systemd."""
    own, root, memory = folder / "machine", folder / "root", folder / "memory"
    own.mkdir()
    upper, work = memory / "upper", memory / "work"
    steps = [
        "set -e",
        "mount --make-rprivate /",
        f"mkdir {memory} {root} && mount -t tmpfs memory {memory} && mkdir -p {work} {upper}/srv",
        f"git clone --quiet --bare {shlex.quote(str(DOCS.parent))} {upper}/srv/repository",
        f"mount -t overlay over -o lowerdir=/,upperdir={upper},workdir={work} {root}",
        f"mount -t proc proc {root}/proc && mount -t tmpfs run {root}/run && mount -t tmpfs tmp {root}/tmp",
        f"mount --rbind /sys {root}/sys && mount --rbind /dev {root}/dev",
        f"cd {root} && pivot_root . mnt && umount --lazy /mnt",
        f"exec env --ignore-environment container=namespace {SYSTEMD} --system --unit=multi-user.target",
    ]
    spaces = [space for space in SPACES if space not in ("--net", "--mount-proc")]
    with (own / "systemd.log").open("wb") as log:
        holder = subprocess.Popen(
            ["unshare", *spaces, "--cgroup", "sh", "-c", "\n".join(steps)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children")
        pid = int(awaited(children.read_text, "the machine does not start"))
        machine = Machine("machine", "127.0.0.1", pid, own, ENVIRON)
        up = "systemctl is-system-running 2>/dev/null | grep --quiet 'running\\|degraded' && echo yes || true"
        awaited(
            lambda: Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip() == "systemd",
            "systemd does not start",
        )
        awaited(lambda: machine.run(up).strip() == "yes", "systemd does not come up")
        yield machine
        machine.close()
    finally:
        holder.kill()
        holder.wait()


class Units:
    """The page's units on a machine."""

    def __init__(self, machine: Machine) -> None:
        self._on = machine

    def run(self) -> None:
        """Type what the page says, kill, revoke and stop; MachineError where it is not as said."""
        *_, invitation = self._typed().split()
        for unit in UNITS:
            self._is(unit, "active")
        for port in (8780, 8781):
            awaited(partial(self._is_well, port), f"nobody answers at {port}")
        say(f"{' and '.join(UNITS)} run, and answer at 8780 and 8781")
        self._worker_begins()
        self._play(invitation)
        self._worker_ends()
        self._on.run("sudo systemctl stop tilesight-hub tilesight-spectators")
        self._is("tilesight-hub", "inactive")
        say("stopped: nothing is left")

    def _typed(self) -> str:
        """Type the page's lines; what the last one says."""
        page = (DOCS / "club-deploy.md").read_text("utf-8")
        found = re.search(r"## On one machine\n.*?```\n(.*?)```", page, re.DOTALL)
        assert found, "the page has no such block"
        said = ""
        for line in found[1].replace("REPOSITORY", "/srv/repository").splitlines():
            print(f"$ {line}", flush=True)
            said = self._on.run(line, limit_s=600)
            if " && cd " in line:
                self._on.where = Path(line.rpartition(" && cd ")[2])
        return said

    def _play(self, invitation: str) -> None:
        """A table of this machine plays while the hub is killed with all its processes."""
        camera = "samples/staged/hand-resting --pace fast --exit-at-end --port 0"
        table = f".venv/bin/tilesight live --game safari --players red=Ana,blue=Bo --camera {camera}"
        self._on.start(f"env TILESIGHT_HOME=/tmp/table {table} --hub '{invitation}'", "table")
        awaited(lambda: self._turns() > 0, "the table does not come to the page", 120)
        self._on.run("sudo systemctl kill --signal KILL tilesight-hub")
        awaited(lambda: self._shown("tilesight-hub", "NRestarts") == "1", "systemd does not start it again")
        awaited(lambda: self._turns() >= TURNS, "the rest does not come", 120)
        say(f"the hub was killed and started again; {self._turns()} turns of the table are on nginx's page")

    def _worker_begins(self) -> None:
        *_, invitation = self._on.run(f"{AS_HUB} keys new worker --role worker").split()
        self._on.run(f"echo 'WORKER={invitation}' | sudo install -m 600 /dev/stdin /etc/tilesight/worker.env")
        self._on.run("sudo systemctl enable --now tilesight-worker")
        awaited(
            lambda: "up to" in self._journal("tilesight-worker"), "the worker does not come to the hub", 60
        )
        say("tilesight-worker runs")

    def _worker_ends(self) -> None:
        """A revoked worker says so, and is not started again."""
        self._on.run(f"{AS_HUB} keys revoke worker --role worker")
        awaited(
            lambda: self._shown("tilesight-worker", "ExecMainStatus") == "2", "the worker does not end", 60
        )
        time.sleep(5)  # longer than RestartSec
        self._is("tilesight-worker", "failed")
        assert "refuses this invitation" in self._journal("tilesight-worker")
        say("the worker that was revoked ended, and said why")

    def _is(self, unit: str, state: str) -> None:
        awaited(
            lambda: self._shown(unit, "ActiveState") == state, f"{unit} is not {state}: {self._journal(unit)}"
        )

    def _shown(self, unit: str, what: str) -> str:
        return self._on.run(f"systemctl show --property {what} --value {unit}").strip()

    def _journal(self, unit: str) -> str:
        return self._on.run(f"journalctl --unit {unit} --output cat --no-pager")

    def _is_well(self, port: int) -> bool:
        return bool(self._asked(f"http://127.0.0.1:{port}/healthz").get("ok"))

    def _turns(self) -> int:
        """The most turns of a table on nginx's page."""
        tables = self._asked("http://127.0.0.1:8781/api/tables").get("tables", [])
        return max((one["turns"] for one in tables), default=0)

    def _asked(self, url: str) -> dict[str, Any]:
        with contextlib.suppress(MachineError, ValueError):
            return dict(json.loads(self._on.run(f"curl --silent --max-time 5 {url}")))
        return {}
