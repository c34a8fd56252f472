"""Finished games as the entries of a table's log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.pack import load_pack
from engine.record import check, header_to_json
from tilesight.simulation.tile_games import random_game
from tilesight.table_log.event_fold import EntryKind

DIFFERENT = 12
"""Games that are different; to draw one takes a second, so the tables read them from a file."""
PACK = "savanna"


def write_games(path: Path, tables: int) -> None:
    """Draw the games of that many tables into a file."""
    path.write_text(json.dumps([told(n).entries for n in range(min(tables, DIFFERENT))]), "utf-8")


def read_games(path: Path) -> list[list[tuple[str, Mapping[str, Any]]]]:
    """The entries of every game of a file."""
    return [[(kind, data) for kind, data in game] for game in json.loads(path.read_text("utf-8"))]


@dataclass(frozen=True)
class Told:
    """Entries of a log (kind, data) and the final scores that they come to."""

    entries: tuple[tuple[str, Mapping[str, Any]], ...]
    final: Mapping[str, int]


def told(number: int) -> Told:
    """The game of one table."""
    return _drawn(number % DIFFERENT)


@cache
def _drawn(seed: int) -> Told:
    """A game: seen turn by turn, every tenth taken back and said again."""
    pack = load_pack(PACK)
    record = random_game(pack, 2, seed=seed)
    names = {"red": "Ana", "blue": "Bo", "yellow": "Žofie", "green": "Dee", "black": "Eli"}
    entries: list[tuple[str, Mapping[str, Any]]] = [
        (EntryKind.OPENED, {"header": header_to_json(record.header), "names": names}),
        (EntryKind.LOOKED, {}),
    ]
    for n, turn in enumerate(record.turns):
        line = turn.to_json()
        entries.append((EntryKind.SEEN, {"keep": n, "lines": [line], "frames": [n]}))
        if n % 10 == 9:
            entries.append((EntryKind.UNDONE, {}))
            entries.append(
                (EntryKind.SAID, {"keep": n, "lines": [line], "what": "turn", "turn": n + 1, "who": None})
            )
    entries.append((EntryKind.ENDED, {}))
    return Told(tuple(entries), check(record, pack).final)
