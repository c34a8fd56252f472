"""Parts of a club for tests: a sample game's log, a table's link."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from engine.games import tile_game_named
from engine.pack import Pack, load_pack
from engine.tiles.game import Header
from tests.web.fake_table import played_turn
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_pack import kept_pack
from web.table.access import Access

NAMES = {"red": "Ana", "blue": "Bo"}
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(NAMES)}
ACCESS = Access("JOINKEY", "HOSTKEY", "CAMKEY")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(true: Callable[[], Any], within_s: float = 30.0) -> Any:
    """What `true` gives once it is something."""
    end = time.monotonic() + within_s
    while not (found := true()):
        assert time.monotonic() < end, "it did not come to that in time"
        time.sleep(0.05)
    return found


class Table:
    """A table that plays by itself: its log is written as a real one's, without a camera."""

    def __init__(
        self, path: Path, seed: int = 3, names: Mapping[str, str] = NAMES, pack: Pack | None = None
    ) -> None:
        self.path = path
        self._rng = Random(seed)
        pack = pack or load_pack("savanna")
        self.state = tile_game_named("safari").start(Header("safari", pack.id, tuple(NAMES)), pack)
        self._turns = 0
        self._store = TableStore(path)
        self.entries = 0
        header = {**HEADER, "pack": pack.id}
        self._write(EntryKind.OPENED, {"header": header, "names": dict(names), **kept_pack(pack)})
        self._write(EntryKind.KEYED, ACCESS.to_json())

    def _write(self, kind: str, data: dict[str, Any]) -> None:
        self._store.append(kind, data)
        self.entries += 1

    def play(self, turns: int) -> None:
        for _ in range(turns):
            turn = played_turn(self.state, self._rng)
            self.state = self.state.apply(turn).state
            told = {"keep": self._turns, "lines": [turn.to_json()], "frames": [self._turns]}
            self._write(EntryKind.SEEN, told)
            self._turns += 1

    def note(self, text: str) -> None:
        """An entry that changes nothing of the game."""
        self._write(EntryKind.LOOKED, {"note": text})

    def undo(self) -> None:
        """Take the last turn back; nothing is played after that."""
        self._write(EntryKind.UNDONE, {})

    def end(self) -> None:
        self._write(EntryKind.ENDED, {})

    @property
    def scores(self) -> dict[str, int]:
        return dict(self.state.scores)

    def close(self) -> None:
        self._store.__exit__(None, None, None)


class LinkProcess:
    """The link of a table, as `tilesight live --hub` starts it."""

    def __init__(self, hub: str, path: Path, table: str = "http://127.0.0.1:1") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tilesight.club.link"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"hub": hub, "log": str(path), "table": table}) + "\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def finish(self) -> str:
        """End the table; what the link said."""
        _, said = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, said
        return said
