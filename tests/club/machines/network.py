"""Machines of a network as Linux namespaces: each with a cable, a name, processes and folders of its own.

Root is needed. Every machine sees this one's files, and what it writes below `/etc`, `/var`, `/root`, `/home`
and `/run` stays its own; `/srv` is one drive of the whole network.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
OWN = ("/etc", "/var", "/root", "/home")
"""Folders that a machine writes for itself, over those of this one."""
SPACES = ("--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
"""Namespaces of a machine; its processes end with the first of them."""
PREFIX = "172.30.78"
"""Network of the machines: that of compose.yaml."""
LIMIT_S = 300.0
"""Seconds for a command that ends."""


class MachineError(AssertionError):
    """Command that failed on a machine; what it said."""


def allowed() -> str | None:
    """Why there can be no machines here; None where there can."""
    if os.geteuid() != 0:
        return "machines are made by root"
    made = subprocess.run(["unshare", *SPACES, "true"], capture_output=True, text=True, check=False)
    return None if made.returncode == 0 else f"there are no namespaces here: {made.stderr.strip()}"


@dataclass
class Machine:
    """One machine; ``pid`` is its first process as this machine counts."""

    name: str
    address: str
    pid: int
    folder: Path
    environ: Mapping[str, str]
    where: Path = Path("/root")
    """Folder in which its shells begin."""
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, command: str, said: str | None = None, *, limit_s: float = LIMIT_S) -> str:
        """The standard output of a line of shell; ``said`` is typed into it. MachineError where it fails."""
        done = subprocess.run(
            self._entered(command),
            input=said,
            capture_output=True,
            text=True,
            env=dict(self.environ),
            timeout=limit_s,
            check=False,
            stdin=subprocess.DEVNULL if said is None else None,
        )
        if done.returncode != 0:
            raise MachineError(f"{self.name}$ {command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, command: str, name: str) -> Path:
        """Start a line of shell that goes on; the file that takes what it says."""
        log = self.folder / f"{name}.log"
        with log.open("ab") as out:
            line = f"echo $$ > /run/{name}.pid; exec {command}"
            self._started.append(
                subprocess.Popen(
                    self._entered(line),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env=dict(self.environ),
                )
            )
        return log

    def stop(self, name: str, signal: str = "INT") -> None:
        """End what was started under a name."""
        self.run(
            f"kill -{signal} $(cat /run/{name}.pid); "
            f"while kill -0 $(cat /run/{name}.pid) 2>/dev/null; do sleep 0.1; done"
        )

    def unplug(self) -> None:
        """Pull the cable."""
        self.run("ip link set eth0 down")

    def plug(self) -> None:
        """Put the cable in again."""
        self.run(f"ip link set eth0 up && ip route replace default via {PREFIX}.1")

    def close(self) -> None:
        """End the machine's processes."""
        for one in self._started:
            one.kill()
            one.wait()

    def _entered(self, command: str) -> list[str]:
        into = ("nsenter", "--target", str(self.pid), "--net", "--mount", "--uts", "--ipc", "--pid")
        shell = ("setsid", "--wait", "bash", "-o", "pipefail", "-c")
        return [*into, *shell, f"cd {self.where}; {command}"]


@contextlib.contextmanager
def _first_process() -> Iterator[int]:
    """The first process of new namespaces, as this machine counts."""
    holder = subprocess.Popen(["unshare", *SPACES, "sleep", "infinity"], stdin=subprocess.DEVNULL)
    try:
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children")
        yield int(awaited(children.read_text, "a machine does not start"))
    finally:
        holder.kill()
        holder.wait()


@contextlib.contextmanager
def network(folder: Path, names: tuple[str, ...], environ: Mapping[str, str]) -> Iterator[dict[str, Machine]]:
    """Machines by their names, each plugged into one switch."""
    with contextlib.ExitStack() as stack:
        switch = stack.enter_context(_first_process())
        _on(switch, "ip link add switch type bridge && ip link set switch up")
        machines: dict[str, Machine] = {}
        for number, name in enumerate(names, 10):
            pid = stack.enter_context(_first_process())
            mine = folder / name
            mine.mkdir()
            machine = Machine(name, f"{PREFIX}.{number}", pid, mine, environ)
            machines[name] = machine
            stack.callback(machine.close)
            _furnish(machine, switch, folder)
        hosts = "".join(f"{one.address} {one.name}\n" for one in machines.values())
        for machine in machines.values():
            machine.run("cat > /etc/hosts", f"127.0.0.1 localhost\n{hosts}")
        yield machines


def _furnish(machine: Machine, switch: int, common: Path) -> None:
    """Give a machine its cable, its name, and folders of its own."""
    cable = (
        f"ip link add port-{machine.name} type veth peer name eth0 netns {machine.pid} "
        f"&& ip link set port-{machine.name} master switch up"
    )
    _on(switch, cable)
    own = machine.folder / "own"
    steps = [
        f"hostname {machine.name}",
        "mount --make-rprivate /",
        f"mkdir -p {own} {common}/srv && mount -t tmpfs own {own}",
        *(
            f"mkdir -p {own}{top}/upper {own}{top}/work && mount -t overlay over "
            f"-o lowerdir={top},upperdir={own}{top}/upper,workdir={own}{top}/work {top}"
            for top in OWN
        ),
        "mount -t tmpfs run /run",
        f"mount --bind {common}/srv /srv",
        "ip link set lo up",
        f"ip address add {machine.address}/24 dev eth0 && ip link set eth0 up",
        f"ip route add default via {PREFIX}.1",
    ]
    _on(machine.pid, " && ".join(steps), mounts=True)


def _on(pid: int, command: str, *, mounts: bool = False) -> None:
    into = ["nsenter", "--target", str(pid), "--net", "--uts", *(["--mount"] if mounts else [])]
    done = subprocess.run([*into, "sh", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"{command}\n{done.stderr}")


def awaited(found: Callable[[], T], missing: str, within_s: float = 60.0) -> T:
    """What ``found`` gives once it is something. MachineError with what is ``missing`` where it is late."""
    until = time.monotonic() + within_s
    while not (what := found()):
        if time.monotonic() > until:
            raise MachineError(missing)
        time.sleep(0.1)
    return what
