"""A log's pictures are those of turns that are still in the game; what people said counts as theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilesight.export.pictures import kept_game
from tilesight.export.turns import turns_csv
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore

HEADER = {"tilesight": 1, "game": "carcassonne", "pack": "bastide", "players": ["red", "blue", "yellow"]}
NAMES = {"red": "Ana", "blue": "Bo", "yellow": "Cy"}
TURNS: list[dict[str, Any]] = [
    {"player": "red", "tile": "BC-U", "cell": [1, 0], "rot": 180, "action": None},
    {"player": "blue", "tile": "BC-C", "cell": [0, -1], "rot": 180, "action": None},
    {"player": "yellow", "tile": "BC-H", "cell": [1, 1], "rot": 270, "action": None},
]


def seen(store: TableStore, keep: int, line: dict[str, Any]) -> int:
    """Write a turn as the camera saw it, and return the number of its entry."""
    return store.append(EntryKind.SEEN, {"keep": keep, "lines": [line]}, {"frame": b"picture"}).number


def test_pictures_of_turns_taken_back_are_left_out(tmp_path: Path) -> None:
    with TableStore(tmp_path / "a.table") as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": NAMES})
        first, second = seen(store, 0, TURNS[0]), seen(store, 1, TURNS[1])
        wrong = seen(store, 2, {**TURNS[2], "action": {"type": "meeple", "feature": "c0"}})
        store.append(EntryKind.UNDONE, {"picture": None})
        right = seen(store, 2, TURNS[2])
        game = kept_game(store, None)
    assert [(entry.number, turns) for entry, turns in game.shown] == [(first, 1), (second, 2), (right, 3)]
    assert wrong not in [entry.number for entry, _ in game.shown] and game.stated == frozenset()
    assert len(game.positions) == 4 and len(game.positions[3].board) == 4


def test_a_turn_that_people_changed_keeps_its_picture_and_is_corrected(tmp_path: Path) -> None:
    changed = {**TURNS[1], "action": {"type": "meeple", "feature": "c0"}}
    with TableStore(tmp_path / "a.table") as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": NAMES})
        numbers = [seen(store, at, line) for at, line in enumerate(TURNS)]
        store.append(EntryKind.SAID, {"keep": 1, "lines": [changed, TURNS[2]], "what": "replace", "turn": 2})
        game = kept_game(store, None)
    assert game.stated == {2}
    pictured = {entry.number: turns for entry, turns in game.shown if entry.kind == EntryKind.SEEN}
    assert pictured == dict(zip(numbers, (1, 2, 3), strict=True))
    rows = turns_csv(game).splitlines()
    assert [("corrected" in row, "read" in row) for row in rows[1:]] == [
        (False, True), (True, False), (False, True)
    ]  # fmt: skip
