"""Clock of a game: who took how long, without pauses and long breaks."""

from __future__ import annotations

from typing import Any

from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry
from tilesight.table_log.turn_clock import LONGEST_TURN_S, TurnClock

OPENED = (1000.0, EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})


def line(number: int) -> dict[str, Any]:
    player = "red" if number % 2 else "blue"
    return {"player": player, "tile": "CS01-AB", "cell": [number, 0], "rot": 0}


def turn(at_s: float, number: int) -> tuple[float, str, dict[str, Any]]:
    return at_s, EntryKind.SEEN, {"keep": number - 1, "lines": [line(number)], "frames": [number]}


def clock(*told: tuple[float, str, dict[str, Any]]) -> dict[str, Any]:
    entries = [Entry(number, kind, at_s, data) for number, (at_s, kind, data) in enumerate(told, 1)]
    found = TurnClock(entries).to_json(folded(Ledger(), entries))
    assert found is not None
    return dict(found)


def test_a_turn_takes_from_the_one_before() -> None:
    found = clock(OPENED, (1010.0, EntryKind.LOOKED, {}), turn(1030, 1), turn(1090, 2), turn(1100, 3))
    assert found["spent_s"] == {"red": 30.0, "blue": 60.0}
    assert (found["since_s"], found["until_s"]) == (1100.0, None)


def test_a_pause_does_not_count() -> None:
    pause = [(at_s, EntryKind.PAUSED, {"paused": on}) for at_s, on in ((1005.0, True), (1025.0, False))]
    assert clock(OPENED, *pause, turn(1030, 1))["spent_s"] == {"red": 10.0}
    running = clock(OPENED, turn(1001, 1), *pause)
    assert (running["since_s"], running["until_s"]) == (1021.0, None)
    paused = clock(OPENED, turn(1001, 1), pause[0])
    assert (paused["since_s"], paused["until_s"]) == (1001.0, 1005.0)


def test_a_game_that_was_broken_off_thinks_no_night() -> None:
    assert clock(OPENED, turn(1010, 1), turn(1011 + LONGEST_TURN_S, 2))["spent_s"]["blue"] == 0.0


def test_a_turn_that_is_corrected_later_was_told_before_the_next() -> None:
    other = {**line(1), "rot": 90}
    said = {"keep": 0, "lines": [other, line(2)], "what": "correct", "turn": 1}
    found = clock(OPENED, turn(1010, 1), turn(1030, 2), (1500.0, EntryKind.SAID, said))
    assert found["spent_s"] == {"red": 30.0, "blue": 0.0} and found["since_s"] == 1030.0


def test_a_recording_tells_no_times() -> None:
    entries = [Entry(1, EntryKind.SEEN, 0.0, {"keep": 0, "lines": [line(1)], "frames": [0]})]
    assert TurnClock(entries).to_json(folded(Ledger(), entries)) is None
