"""Fold of a log: every kind of entry, and which pictures need not be looked at again after a restart."""

from __future__ import annotations

from typing import Any

import pytest

from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry, StoreError

TURN = {"player": "red", "tile": "CS01-AB", "cell": [1, 0], "rot": 0}
OTHER = {**TURN, "cell": [2, 0]}


def entries(*told: tuple[str, dict[str, Any]]) -> list[Entry]:
    return [Entry(number, kind, 0.0, data) for number, (kind, data) in enumerate(told, 1)]


def test_pictures_after_the_last_turn_in_the_log_are_looked_at_again() -> None:
    first = (EntryKind.SEEN, {"keep": 0, "lines": [TURN], "frames": [3], "pictures": [[10, "a.jpg"]]})
    second = (EntryKind.SEEN, {"keep": 1, "lines": [OTHER], "frames": [7], "pictures": [[20, "b.jpg"]]})
    assert folded(Ledger(), ()).used == ()
    assert folded(Ledger(), entries(first, second)).used == ((10, "a.jpg"), (20, "b.jpg"))
    # A turn that the camera takes back was none: the next one may be in pictures that came before.
    taken_back = (EntryKind.SEEN, {"keep": 1, "lines": [], "frames": [], "pictures": []})
    assert folded(Ledger(), entries(first, second, taken_back)).used == ((10, "a.jpg"),)


def test_pictures_from_before_people_refused_a_turn_are_not_looked_at_again() -> None:
    seen = (EntryKind.SEEN, {"keep": 0, "lines": [TURN], "frames": [3], "pictures": [[10, "a.jpg"]]})
    undo = (EntryKind.UNDONE, {"picture": [30, "c.jpg"]})
    assert folded(Ledger(), entries(seen, undo)).used[-1] == (30, "c.jpg")
    said = {"keep": 0, "lines": [OTHER], "not_these": [TURN], "picture": [40, "d.jpg"]}
    assert folded(Ledger(), entries(seen, (EntryKind.SAID, said))).used[-1] == (40, "d.jpg")


def test_a_log_without_marks_of_pictures_is_read_as_ever() -> None:
    seen = (EntryKind.SEEN, {"keep": 0, "lines": [TURN], "frames": [3]})
    assert folded(Ledger(), entries(seen, (EntryKind.UNDONE, {}))).used == ()


def test_every_kind_is_folded_by_its_name_on_the_disk() -> None:
    header = {"game": "safari", "players": ["red", "blue"]}
    ledger = folded(
        Ledger(),
        entries(
            ("table", {"header": header, "names": {"red": "Ana", "blue": "Bo"}}),
            ("key", {"key": "ABCDEFGH"}),
            ("set-up", {"header": {**header, "position": "…"}, "confirmed": True, "keep": 0}),
            ("looked", {}),
            ("seen", {"keep": 0, "lines": [TURN]}),
            ("doubt", {"turns": [{"turn": 1, "confidence": 0.5, "others": []}]}),
            ("scores", {"turn": 1, "points": {"blue": 3}}),
            ("said", {"keep": 1, "lines": [OTHER], "sure": [2], "what": "correct", "turn": 2}),
            ("undo", {}),
            ("redo", {}),
            ("recolored", {"colors": {"blue": "green"}, "names": {"red": "Ana", "green": "Bo"}}),
            ("seat", {"color": "green", "name": "Bob"}),
            ("stray", {"color": "black"}),
            ("pause", {"paused": True}),
            ("end", {}),
        ),
    )
    assert [turn.cell for turn in ledger.turns] == [(1, 0), (2, 0)]
    assert ledger.set_up_entry == 3 and ledger.confirmed and ledger.sure == {2}
    assert ledger.doubts[1].confidence == 0.5
    assert [(event.player, event.points) for event in ledger.by_hand] == [("green", 3)]
    assert ledger.names["green"] == "Bob" and ledger.strays == {"black"}
    assert ledger.paused and ledger.ended


def test_an_entry_of_an_unknown_kind_is_not_taken_for_turns() -> None:
    with pytest.raises(StoreError, match="unknown kind 'later'"):
        folded(Ledger(), entries(("later", {"keep": 0, "lines": [TURN]})))
