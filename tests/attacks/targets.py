"""Programs that are attacked: a live table and a lobby, each a process on a free loopback port.

Each has a home folder of its own, and an upper limit on its memory, beyond which it fails by itself.
"""

from __future__ import annotations

import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from engine.pack import load_pack
from tests.matrix.games import kit_of
from tests.matrix.tables import PATIENCE_S, LiveTable, serving
from tilesight.simulation.tile_games import Style, random_game

GAME = "safari"
"""Game of the tables that are attacked."""
MEMORY_AT_MOST = 3 << 30
"""Bytes of private memory that a process under attack can have (Linux)."""


@dataclass
class Target:
    """A running process, and the folder that is its home. ``camera`` is the folder that a table watches."""

    running: LiveTable
    home: Path
    camera: Path

    @property
    def url(self) -> str:
        """Its address, without a path: ``http://127.0.0.1:PORT``."""
        return self.running.url

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.url.rpartition(":")[2])

    @property
    def key(self) -> str:
        """The key of its players, or of the lobby."""
        return self.running.key

    @property
    def log(self) -> Path:
        """The table's log."""
        return self.running.log

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self.running.process.poll() is None

    def ask(self, path: str, body: object = None, *, key: str | None = None, **more: Any) -> httpx.Response:
        """Send a request and return the answer, whatever its status: POST with ``body`` as JSON or with
        ``content`` or ``method`` given, else GET. ``key`` is sent in ``X-Table-Key``."""
        method = more.pop("method", "POST" if body is not None or "content" in more else "GET")
        headers = {**({} if key is None else {"X-Table-Key": key}), **more.pop("headers", {})}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=PATIENCE_S, **more)

    def state(self) -> dict[str, Any]:
        """The table's state, as a person without a key reads it."""
        return self.running.state()

    def tell(self, turns: int = 4, seed: int = 1) -> int:
        """Play a random game: a player types in this number of turns. Return the number of turns reported."""
        style = Style(allow=("meeple",), greedy=0.4)
        kit, colors = kit_of(GAME), tuple(kit_of(GAME).colors)
        record = random_game(load_pack(kit.pack), colors, seed, turns=turns, style=style, hands_seen=False)
        lines = [turn.to_json() for turn in record.turns]
        self.running.post("correct", {"turn": 1, "insert": lines})
        return len(lines)

    def show(self, pictures: int = 1) -> None:
        """Put the first pictures of the sample session into the folder that the table watches, each whole."""
        session = kit_of(GAME).session
        for number, frame in enumerate(kit_of(GAME).header["frames"][:pictures]):
            source = session / frame["file"]
            begun = self.camera / "begun"
            shutil.copyfile(source, begun)
            begun.replace(self.camera / f"{number:04}{source.suffix}")

    def connect(self, timeout_s: float = 10.0) -> socket.socket:
        """Open a plain connection to it, for requests that no HTTP client sends."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout_s)

    def memory_mb(self, peak: bool = False) -> float:
        """Its resident memory now, or at its peak, in MB (Linux)."""
        name = "VmHWM:" if peak else "VmRSS:"
        status = Path(f"/proc/{self.running.process.pid}/status").read_text(encoding="utf-8").splitlines()
        return int(next(line for line in status if line.startswith(name)).split()[1]) / 1024

    def descriptors(self) -> int:
        """The number of its open files and connections (Linux)."""
        return sum(1 for _ in Path(f"/proc/{self.running.process.pid}/fd").iterdir())


@contextmanager
def table_in(
    home: Path, *more: str, camera: str | None = None, players: str | None = None
) -> Iterator[Target]:
    """``tilesight live`` with an empty folder as its camera, or ``camera``, and its log in ``home``.
    ``players`` are those of the sample session unless given as COLOR=NAME,…; ``more`` are further words of
    the command. Killed at the end."""
    kit = kit_of(GAME)
    folder = home / "camera"
    folder.mkdir(parents=True, exist_ok=True)
    log = home / "attacked.table"
    words = ["live", "--game", kit.game, "--pack", kit.pack, "--players", players or kit.players]
    words += ["--camera", camera or str(folder), "--pace", "fast", "--host", "127.0.0.1", "--port", "0"]
    with serving(_command([*words, "--table", str(log), "--json", *more]), log) as running:
        _bound(running.process.pid)
        yield Target(running, home, folder)


@contextmanager
def lobby_in(home: Path, *more: str) -> Iterator[Target]:
    """``tilesight lobby`` with ``home`` as its home folder; its tables are in ``home/tables``. Stopped at the
    end, with the tables that it began."""
    home.mkdir(parents=True, exist_ok=True)
    words = ["lobby", "--host", "127.0.0.1", "--port", "0", "--no-browser", "--json", *more]
    with serving(_command(words), home / "none", stopped=True) as running:
        _bound(running.process.pid)
        yield Target(running, home, home / "camera")


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "tilesight.app", *words]


def _bound(pid: int) -> None:
    """Limit a process's memory where the system can."""
    if sys.platform == "linux":
        import resource

        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_AT_MOST, MEMORY_AT_MOST))
