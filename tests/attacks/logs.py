"""Logs of short games, sound and malicious, as the attacks on the library need them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zipfile
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.tiles.game import Header
from tests.web.fake_table import photograph, played_turn
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore, entry_sum
from web.table.access import Access

NAMES = {"red": "Ana", "blue": "Bo"}
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(NAMES)}
ACCESS = Access("JOINKEY2", "HOSTKEY234567892", "CAMERAKEY2345678", retired=("FORMERK2",))
"""The keys that every game here has."""
KEYS = (ACCESS.player, ACCESS.host, ACCESS.camera, *ACCESS.retired)


def play(path: Path, turns: int = 3, *, ended: bool = False, seed: int = 3) -> Path:
    """Write a log of a game of Safari with pictures and keys; return its path."""
    pack, rng = load_pack("savanna"), Random(seed)
    state = tile_game_named("safari").start(Header("safari", pack.id, tuple(NAMES)), pack)
    path.parent.mkdir(parents=True, exist_ok=True)
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": NAMES})
        store.append(EntryKind.KEYED, ACCESS.to_json())
        for number in range(turns):
            turn = played_turn(state, rng)
            state = state.apply(turn).state
            seen = {"keep": number, "lines": [turn.to_json()], "frames": [number]}
            store.append(EntryKind.SEEN, seen, {"frame": photograph()})
        if ended:
            store.append(EntryKind.ENDED, {})
    return path


def change(path: Path, number: int, **values: Any) -> None:
    """Change columns of an entry (``data`` may be JSON text or a mapping), with a checksum that agrees."""
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        kind, at_s, data = base.execute(
            "SELECT kind, at_s, data FROM entries WHERE number = ?", (number,)
        ).fetchone()
        row = {"kind": kind, "at_s": at_s, "data": data, **values}
        if isinstance(row["data"], Mapping):
            row["data"] = json.dumps(row["data"])
        told = entry_sum(number, row["kind"], row["at_s"], row["data"])
        base.execute(
            "UPDATE entries SET kind = ?, at_s = ?, data = ?, sum = ? WHERE number = ?",
            (row["kind"], row["at_s"], row["data"], told, number),
        )


def zipped(path: Path, **logs: Path) -> Path:
    """Write a zip file of logs, each under its name, as "save all games" makes one."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, log in logs.items():
            packed.write(log, f"{name}.table")
    return path
