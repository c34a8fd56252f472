"""Doubts in the log: they follow their turns, and end with what people say."""

from __future__ import annotations

from typing import Any

from engine.tiles.turn import Turn
from tilesight.table_log import event_fold
from tilesight.table_log.doubts import Doubted, doubts_differ, doubts_to_json
from tilesight.table_log.event_fold import EntryKind, Ledger
from tilesight.table_log.event_store import Entry

LINES = [
    {"player": p, "tile": "CS01-AB", "cell": [x, 0], "rot": 0} for x, p in enumerate(("red", "blue") * 2)
]
TURNS = [Turn.from_json(line) for line in LINES]
OTHER = Turn.from_json({**LINES[2], "rot": 90})
DOUBTS = {2: Doubted[Turn](0.5), 3: Doubted(0.7, ((OTHER, 0.25), (TURNS[0], None)))}


def folded(*more: tuple[str, dict[str, Any]]) -> Ledger:
    told = [
        (EntryKind.SEEN, {"keep": 0, "lines": LINES, "frames": [1, 2, 3, 4]}),
        (EntryKind.DOUBTED, doubts_to_json(DOUBTS)),
        *more,
    ]
    return event_fold.folded(
        Ledger(), [Entry(number, kind, 0.0, data) for number, (kind, data) in enumerate(told, 1)]
    )


def test_the_log_holds_how_sure_a_turn_is_and_what_else_it_was() -> None:
    assert folded().doubts == DOUBTS and folded().turns == tuple(TURNS)
    assert folded((EntryKind.DOUBTED, {"turns": []})).doubts == {}
    assert not doubts_differ(DOUBTS, {**DOUBTS, 2: Doubted[Turn](0.54)})
    assert doubts_differ(DOUBTS, {**DOUBTS, 2: Doubted[Turn](0.56)}) and doubts_differ(DOUBTS, {3: DOUBTS[3]})


def test_a_turn_that_people_named_is_sure_until_they_take_that_back() -> None:
    said = {"what": "correct", "turn": 2, "sure": [2], "keep": 4, "lines": []}
    ledger = folded((EntryKind.SAID, said))
    assert (ledger.doubts, ledger.sure) == ({3: DOUBTS[3]}, frozenset({2}))
    ledger = folded((EntryKind.SAID, said), (EntryKind.UNDONE, {}))
    assert (ledger.doubts, ledger.sure) == (DOUBTS, frozenset())


def test_a_doubt_follows_its_turn_when_others_move() -> None:
    lines = [{**LINES[0], "cell": [9, 9]}, *LINES[1:3]]
    inserted = {"what": "insert", "turn": 2, "sure": [2], "keep": 1, "lines": [lines[0], *LINES[1:]]}
    assert folded((EntryKind.SAID, inserted)).doubts == {3: DOUBTS[2], 4: DOUBTS[3]}
    reseated = {**LINES[2], "player": "blue"}
    now = folded((EntryKind.SAID, {"what": "player", "turn": 3, "keep": 2, "lines": [reseated, LINES[3]]}))
    # Another player's turn: what else it was is not known, but it is as doubtful as it was.
    assert now.doubts == {2: DOUBTS[2], 3: Doubted(0.7)}


def test_a_turn_that_is_gone_or_another_leaves_no_doubt() -> None:
    seen = {"keep": 1, "lines": [{**LINES[1], "cell": [5, 5]}], "frames": [7]}
    assert folded((EntryKind.SEEN, seen)).doubts == {}
    assert folded((EntryKind.UNDONE, {}), (EntryKind.UNDONE, {})).doubts == {2: DOUBTS[2]}
