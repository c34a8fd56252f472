"""Attack: one table of a club floods its log, so that the hub shows no other table any more.

The hub folded a whole log again at each new entry, and of the games that waited it took the one with the
lowest number: after 60 000 entries and 20 more a second, no other table's change came to the page. Held: a
game's fold is kept and only new entries are applied, games take turns, and a game's entries are bounded.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import Table, until
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import Game
from tilesight.club.hub import records as records_module
from tilesight.club.hub.folding import Folding
from tilesight.club.hub.records import Records
from tilesight.club.messages import LogEntry
from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import Entry

BEFORE = 4000
"""Entries of the flood before the other table's change; each fold of the whole log took 0.2 s then."""
WITHIN_S = 5.0
"""Time for the other table's change to be shown on a busy machine; it takes a hundredth of that."""


def _stored(records: Records, name: str, entries: tuple[Entry, ...]) -> set[int]:
    return records.store(name, "g", [LogEntry.of(one) for one in entries])


def _opened(folder: Path, name: str, turns: int) -> tuple[Entry, ...]:
    table = Table(folder / f"{name}.table")
    table.play(turns)
    entries = table._store.entries()
    table.close()
    return entries


def _flood(first: int, count: int) -> tuple[Entry, ...]:
    numbers = range(first, first + count)
    return tuple(Entry(number, "pause", 1.0, {"paused": number % 2 == 0}) for number in numbers)


def test_the_flood_of_one_table_leaves_the_others_shown(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    records, shown = Records(engine), dict[str, Game]()
    folding = Folding(records, lambda game: shown.update({game.table_id: game}))
    opened = _opened(tmp_path, "a", 3)
    _stored(records, "a", opened + _flood(len(opened) + 1, BEFORE))
    other = _opened(tmp_path, "b", 6)
    _stored(records, "b", other[:-1])
    folding.start()
    until(lambda: len(shown) == 2)
    ended = threading.Event()

    def flood() -> None:
        number = len(opened) + BEFORE
        while not ended.wait(0.05):
            number += 1
            folding.add(_stored(records, "a", _flood(number, 1)))

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        time.sleep(0.5)
        folding.add(_stored(records, "b", other[-1:]))
        until(lambda: shown["b"].turns == 6, WITHIN_S)
    finally:
        ended.set()
        flooding.join()
        folding.stop()
        engine.dispose()


def test_games_take_turns_and_only_new_entries_are_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_database(tmp_path / "hub.db")
    records, shown, applied = Records(engine), list[Game](), list[int]()
    with_entry = GameLedger.with_entry

    def counted(ledger: GameLedger[Any], entry: Entry) -> GameLedger[Any]:
        applied.append(entry.number)
        return with_entry(ledger, entry)

    monkeypatch.setattr(GameLedger, "with_entry", counted)
    folding = Folding(records, shown.append)
    opened = _opened(tmp_path, "a", 4)
    for at in range(1, len(opened) + 1):
        [game] = _stored(records, "a", opened[at - 1 : at])
        folding.turn(game)
    assert applied == [one.number for one in opened], "each was applied once"
    assert (shown[-1].turns, shown[-1].fault) == (4, None)
    fresh = Folding(records, shown.append)
    fresh.turn(game)
    assert shown[-1].state == shown[-2].state, "it comes to the same from scratch"
    folding.add([7])
    folding.add([3, 7])
    assert list(folding._stale) == [7, 3]
    engine.dispose()


@pytest.mark.parametrize(("bound", "most"), [("ENTRIES_AT_MOST", 6), ("GAME_BYTES", 700)])
def test_a_game_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, most: int) -> None:
    monkeypatch.setattr(records_module, bound, most)
    engine = open_database(tmp_path / "hub.db")
    records = Records(engine)
    opened = _opened(tmp_path, "a", 3)
    [game] = _stored(records, "a", opened)
    assert _stored(records, "a", _flood(len(opened) + 1, 20)) == {game}, "that it is full is shown"
    kept = len(records.entries(game))
    assert _stored(records, "a", _flood(len(opened) + 21, 20)) == set()
    assert len(records.entries(game)) == kept
    Folding(records, lambda _: None).turn(game)
    [shown] = records.games([game])
    assert shown.turns == 3 and shown.fault is not None and "more entries" in shown.fault
    assert kept == most if bound == "ENTRIES_AT_MOST" else kept <= len(opened) + 20
    engine.dispose()
